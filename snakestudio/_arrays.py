"""Arrays by what they hold, for annotations."""

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
Float32Array = NDArray[np.float32]
IntArray = NDArray[np.int64]
Int32Array = NDArray[np.int32]
IndexArray = NDArray[np.intp]
UInt8Array = NDArray[np.uint8]
BoolArray = NDArray[np.bool_]
ComplexArray = NDArray[np.complex128]
