"""The offscreen renderer works in the window's process and thread without changing Qt's context."""

from __future__ import annotations

import numpy as np
import pytest

from snakestudio.drawing.camera import Camera
from snakestudio.drawing.draw_list import build
from snakestudio.drawing.overlays import Overlays
from snakestudio.drawing.quality import Quality
from snakestudio.render.offscreen import OffscreenRenderer
from snakestudio.render.renderer import Renderer
from tests.drawing.scenery import HIGH, LOW, obstacle_scene, snapshot


@pytest.mark.gui
def test_window_and_video_draw_the_same_frame(qapp):
    from PySide6.QtGui import QImage, QOffscreenSurface, QOpenGLContext, QSurfaceFormat
    from PySide6.QtOpenGL import QOpenGLFramebufferObject

    expected = QSurfaceFormat()
    expected.setVersion(3, 3)
    expected.setProfile(QSurfaceFormat.OpenGLContextProfile.CoreProfile)
    surface = QOffscreenSurface()
    surface.setFormat(expected)
    surface.create()
    context = QOpenGLContext()
    context.setFormat(expected)
    assert context.create()
    assert context.makeCurrent(surface)
    width, height = 320, 180
    camera = Camera().frame(LOW, HIGH, width / height)
    drawn = build(obstacle_scene(), snapshot(), Overlays(), camera)
    renderer = Renderer()
    renderer.initialise()
    target = QOpenGLFramebufferObject(width, height)
    renderer.draw(drawn, camera, width, height, target.handle(), Quality.FULL)
    with OffscreenRenderer(width, height) as other:
        video = other.draw(drawn, camera)
    assert QOpenGLContext.currentContext() is context
    renderer.draw(drawn, camera, width, height, target.handle(), Quality.FULL)
    image = target.toImage().convertToFormat(QImage.Format.Format_RGB888)
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(height, image.bytesPerLine())
    window = rows[:, : 3 * width].reshape(height, width, 3)
    assert np.abs(window.astype(int) - video).max() <= 1
    renderer.release()
    del target
    context.doneCurrent()
