"""Compilation of kernels: each function called from Python is linked with all its callees, optimised and stored whole.

numba by default generates machine code for every function and all its callees, repeatedly up
the call tree, and stores each in a file. But only a few functions are ever called from Python,
and they contain their callees. Therefore a function that is called by another is only lowered to
LLVM IR (a `_Part`), and one that Python calls is linked from all its parts in one piece (an
`_Executable`). This takes a third of the time and a tenth of the disk space.

`processor` defines the target of the code, and `_cache` where it is stored. All of this is separate
from numba's own target, so that other users of numba in the same process are not affected. It
depends on numba's internals; see `_cache.TESTED`.
"""

from __future__ import annotations

import contextlib
import gc
import hashlib
import pickle
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from numba.core import event, sigutils, typing
from numba.core import types as numba_types
from numba.core.codegen import JITCodeLibrary, JITCPUCodegen
from numba.core.compiler import CompilerBase, CompileResult, DefaultPassBuilder, Flags
from numba.core.compiler_lock import global_compiler_lock
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.cpu import CPUContext
from numba.core.registry import CPUDispatcher, CPUTarget
from numba.core.runtime import rtsys
from numba.core.serialize import dumps
from numba.core.target_extension import CPU, dispatcher_registry, jit_registry, target_registry
from numba.core.typed_passes import NativeLowering

from snakestudio import processor
from snakestudio.kernels import _cache

OPTIMIZE = "snakestudio:optimize"
"""Kind of numba's event for the linking of an executable from its parts."""

_TARGET = processor.target()


# ------------------------------------------------------------------------------------------- target


class _Codegen(JITCPUCodegen):
    """Machine code for the baseline, or for the processor of this machine."""

    def _get_host_cpu_name(self) -> str:
        return str(super()._get_host_cpu_name()) if _TARGET.tuned else _TARGET.name

    def _get_host_cpu_features(self) -> str:
        return str(super()._get_host_cpu_features()) if _TARGET.tuned else ""


class _Context(CPUContext):
    def init(self) -> None:
        super().init()
        self._internal_codegen = _Codegen("snakestudio.exec")


class _TypingContext(typing.Context):
    """numba's typing context, but types of operators on numbers are cached: they took a quarter of a compilation."""

    def __init__(self) -> None:
        super().__init__()
        self._result_types: dict[tuple[Any, ...], Any] = {}

    def resolve_function_type(self, func: Any, args: Any, kws: Any) -> Any:
        operator_of_numbers = (
            isinstance(func, numba_types.BaseFunction)
            and getattr(func.typing_key, "__module__", "") == "_operator"
            and all(isinstance(kind, numba_types.Number | numba_types.Boolean) for kind in args)
        )
        if kws or not operator_of_numbers:
            return super().resolve_function_type(func, args, kws)
        key = func, tuple(args)
        if key not in self._result_types:
            self._result_types[key] = super().resolve_function_type(func, args, kws)
        return self._result_types[key]


class _Flags(Flags):
    """numba's flags, but compared by the options set: by default all have the same hash, and comparing is slow."""

    def __hash__(self) -> int:
        return hash(frozenset(name for name, value in self._values.items() if value is True))

    def __eq__(self, other: object) -> bool:
        if isinstance(other, _Flags) and self._values == other._values:
            return True
        return bool(super().__eq__(other))


class _Kernels(CPU):
    """Name of the target, under which numba also compiles its own building blocks (such as `max` of a tuple)."""


target_registry["snakestudio"] = _Kernels


class _Target(CPUTarget):
    """numba's target for processors, with separate contexts."""

    def __init__(self) -> None:
        super().__init__("snakestudio")
        self._typing_context = _TypingContext()
        self._context = _Context(self._typing_context, "snakestudio")

    @property
    def typing_context(self) -> typing.Context:
        return self._typing_context

    @property
    def target_context(self) -> _Context:
        return self._context


# ---------------------------------------------------------------------------------------- libraries


class _Part(JITCodeLibrary):
    """One function in LLVM IR; linked into executables, never run by itself."""

    def add_linking_library(self, library: Any) -> None:
        # numba finalizes a library before linking with it; parts are linked by the executable when all
        # of them are known.
        if not isinstance(library, _Part):
            library._ensure_finalized()
        self._linking_libraries.append(library)

    def finalize(self) -> None:
        self._raise_if_finalized()
        self._finalized = True

    def _get_module_for_linking(self) -> Any:
        raise RuntimeError(
            f"numba tried to link with {self.name}, a part that can only be linked into an executable"
        )

    def below(self) -> Iterator[JITCodeLibrary]:
        """The library itself and all libraries reachable from it, each once."""
        seen: set[int] = set()
        waiting: list[JITCodeLibrary] = [self]
        while waiting:
            library = waiting.pop(0)
            if id(library) not in seen:
                seen.add(id(library))
                yield library
                if isinstance(library, _Part):
                    waiting.extend(library._linking_libraries)


class _Executable(JITCodeLibrary):
    """Function that Python calls, with all its callees."""

    def finalize(self) -> None:
        self._codegen._check_llvm_bugs()
        self._raise_if_finalized()
        inner: list[str] = []
        for top in self._linking_libraries:
            for library in top.below():
                self._reload_init.update(library._reload_init)
                if isinstance(library, _Part):
                    library._ensure_finalized()
                    inner.extend(function.name for function in library.get_defined_functions())
                    module = library._final_module
                else:
                    module = library._get_module_for_linking()
                self._final_module.link_in(module, preserve=True)
        for name in inner:  # not called from outside: functions inlined everywhere can be dropped
            self._final_module.get_function(name).linkage = "linkonce_odr"
        self._optimize_final_module()
        self._final_module.verify()
        self._finalize_final_module()

    # --- stored in files: machine code and names, without LLVM IR, because executables are never linked

    def state(self) -> tuple[str, bytes, list[str]]:
        module = self._final_module
        named = [
            v.name for v in (*module.functions, *module.global_variables) if not v.is_declaration
        ]
        return self.name, self._get_compiled_object(), named

    @classmethod
    def from_state(cls, codegen: Any, state: tuple[str, bytes, list[str]]) -> _Executable:
        name, code, named = state
        self = cls(codegen, name)
        self.enable_object_caching()
        self._set_compiled_object(code)
        self._finalize_final_module()
        codegen._engine._defined_symbols.update(named)
        return self


# -------------------------------------------------------------------------------------- compilation


class _Entry:
    """Placeholder of a part where numba requires a callable."""


@register_pass(mutates_CFG=True, analysis_only=False)
class _PartLowering(NativeLowering):
    _name = "part_lowering"

    def run_pass(self, state: Any) -> bool:
        state.library = _Part(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        state.flags.no_cpython_wrapper = True
        state.flags.no_cfunc_wrapper = True
        super().run_pass(state)
        lowered = state["cr"]
        entry = _Entry()
        state.targetctx.insert_user_function(entry, lowered.fndesc, [state.library])
        state.reload_init.extend(state.library._reload_init)
        state["cr"] = lowered._replace(cfunc=entry)
        return True


class _PartCompiler(CompilerBase):
    """numba's compilation of a function, up to LLVM IR."""

    def define_pipelines(self) -> list[PassManager]:
        manager = PassManager("parts")
        manager.passes.extend(
            (_PartLowering if kind is NativeLowering else kind, text)
            for kind, text in DefaultPassBuilder.define_nopython_pipeline(self.state).passes
        )
        manager.finalize()
        return [manager]


@contextlib.contextmanager
def _without_collector() -> Iterator[None]:
    """Disable garbage collection: it takes a fifth of a compilation, whose millions of objects live until its end."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


class KernelDispatcher(CPUDispatcher):
    """Compiled function: a part for compiled callers, an executable for Python.

    Parameters
    ----------
    options : dict
        numba's options for a target.
    """

    targetdescr = _Target()

    def __init__(self, py_func: Callable[..., Any], options: dict[str, Any]) -> None:
        super().__init__(py_func, targetoptions=options, pipeline_class=_PartCompiler)
        self._parts: dict[tuple[Any, ...], CompileResult] = {}
        self._compiler._customize_flags = _Flags

    def enable_caching(self) -> None:
        """Do nothing: executables are always cached."""

    def _part(self, args: tuple[Any, ...]) -> CompileResult:
        part = self._parts.get(args)
        if part is None:
            with event.trigger_event(
                "numba:compile", data={"dispatcher": self, "args": args, "return_type": None}
            ):
                part = self._parts[args] = self._compiler.compile(args, None)
        return part

    # --- called by numba when it compiles a caller

    def get_call_template(self, args: Any, kws: Any) -> Any:
        signature, args = self._compiler.fold_argument_types(args, kws)
        with global_compiler_lock:
            self._part(tuple(args))
        name = self.py_func.__name__
        known = [part.signature for part in self._parts.values()]
        return (
            typing.make_concrete_template(f"CallTemplate({name})", key=name, signatures=known),
            signature,
            args,
            {},
        )

    def get_overload(self, sig: Any) -> _Entry:
        args, _ = sigutils.normalize_signature(sig)
        entry: _Entry = self._parts[tuple(args)].entry_point
        return entry

    # --- called for Python calls with new argument types

    def compile(self, sig: Any) -> Any:
        with global_compiler_lock:
            args = tuple(sigutils.normalize_signature(sig)[0])
            if args not in self.overloads:
                executable = _load(self, args)
                if executable is None:
                    self.targetctx.refresh()
                    with _without_collector():
                        executable = self._link(self._part(args))
                    _save(self, args, executable)
                self.add_overload(executable)
            return self.overloads[args].entry_point

    def _link(self, part: CompileResult) -> CompileResult:
        context = self.targetctx
        library = _Executable(context.codegen(), part.library.name)
        library.enable_object_caching()
        library.add_linking_library(part.library)
        context.create_cpython_wrapper(
            library,
            part.fndesc,
            part.environment,
            part.call_helper,
            bool(self.targetoptions.get("nogil")),
        )
        with event.trigger_event(OPTIMIZE, data={"dispatcher": self}):
            call = context.get_executable(library, part.fndesc, part.environment)
        executable = part._replace(library=library, entry_point=call)
        for environment in executable._find_referenced_environments():
            library.codegen.set_env(environment.env_name, environment)
        return executable


def _block(**options: Any) -> Callable[[Callable[..., Any]], KernelDispatcher]:
    """Decorator that numba applies to its building blocks."""
    return lambda function: KernelDispatcher(function, options)


dispatcher_registry[_Kernels] = KernelDispatcher
jit_registry[_Kernels] = _block


# -------------------------------------------------------------------------------------------- files

_used: set[str] = set()


def used_files() -> list[str]:
    """Names of the files from which this process has loaded compiled code, or in which it has saved it."""
    return sorted(_used)


def _file_name(dispatcher: KernelDispatcher, args: tuple[Any, ...]) -> str:
    function = dispatcher.py_func
    module = function.__module__.removeprefix("snakestudio.")
    # The magic tuple identifies the processor that the code is compiled for.
    kind = repr(
        (
            [str(kind) for kind in args],
            dispatcher.targetctx.codegen().magic_tuple(),
            dispatcher.targetoptions,
        )
    )
    return (
        f"{module}.{function.__qualname__}-{hashlib.sha256(kind.encode()).hexdigest()[:12]}.kernel"
    )


def _load(dispatcher: KernelDispatcher, args: tuple[Any, ...]) -> CompileResult | None:
    """Load code compiled earlier; a damaged file is treated as missing."""
    context = dispatcher.targetctx
    # `refresh` would also do it, but loads everything that numba can compile, scipy.linalg included
    rtsys.initialize(context)
    name = _file_name(dispatcher, args)
    for folder in _cache.compiled_folders():
        try:
            data = (folder / name).read_bytes()
        except OSError:
            continue
        digest = data[:32]
        body = data[32:]
        if hashlib.sha256(body).digest() != digest:
            continue
        library, fndesc, environment, signature, reload_init, environments = pickle.loads(body)
        for function in reload_init:
            function()
        executable = _Executable.from_state(context.codegen(), library)
        call = context.get_executable(executable, fndesc, environment)
        for one in environments:
            executable.codegen.set_env(one.env_name, one)
        _used.add(name)
        return CompileResult(
            typing_context=dispatcher.typingctx,
            target_context=context,
            entry_point=call,
            typing_error=None,
            type_annotation="",
            signature=signature,
            objectmode=False,
            lifted=(),
            fndesc=fndesc,
            library=executable,
            call_helper=None,
            environment=environment,
            metadata=None,
            reload_init=reload_init,
            referenced_envs=environments,
        )
    return None


def _save(dispatcher: KernelDispatcher, args: tuple[Any, ...], executable: CompileResult) -> None:
    if executable.library.has_dynamic_globals:
        raise RuntimeError(
            f"{dispatcher.py_func.__name__} contains addresses of this process and cannot be saved"
        )
    name = _file_name(dispatcher, args)
    fndesc = executable.fndesc
    fndesc.typemap = fndesc.calltypes = None  # needed only for messages, and cannot be pickled
    environments = tuple(executable._find_referenced_environments())
    state = (
        executable.library.state(),
        fndesc,
        executable.environment,
        executable.signature,
        tuple(executable.reload_init),
        environments,
    )
    body = dumps(state)
    try:
        _write(_cache.compile_cache() / name, hashlib.sha256(body).digest() + body)
    except OSError as error:
        _cache.note_cache_trouble(f"compiled code cannot be saved ({error})")
    else:
        _used.add(name)


def _write(path: Path, data: bytes) -> None:
    """Write a file atomically; if two processes write the same file, both versions are valid."""
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}", delete=False) as file:
        try:
            file.write(data)
            file.close()
            Path(file.name).chmod(0o644)
            Path(file.name).replace(path)
        except BaseException:
            file.close()
            Path(file.name).unlink(missing_ok=True)
            raise
