"""How kernels are compiled: what Python calls is linked with all below it, optimised and kept once, as a whole.

numba's own way is to make machine code of every function and of all it calls, again and again up
the tree, and to keep each in a file. But only a handful of functions are ever called from Python,
and they contain what they call. So a function that is reached from another one is only led to
LLVM's language (a `_Part`), and one that Python calls is all parts below it in one piece (a
`_Whole`): a third of the time, a tenth of the disk.

What code is compiled for, `processor` says, and where it is kept, `_cache`. All of this stands
beside numba's own target, so that others who use numba in the same process find it as ever. It
leans on numba's inner parts, hence `_cache.TESTED`.
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
"""Event of numba's kind: a whole is made of its parts."""

_TARGET = processor.target()


# ------------------------------------------------------------------------------------------- target


class _Codegen(JITCPUCodegen):
    """Machine code for the baseline, or for the processor itself."""

    def _get_host_cpu_name(self) -> str:
        return str(super()._get_host_cpu_name()) if _TARGET.tuned else _TARGET.name

    def _get_host_cpu_features(self) -> str:
        return str(super()._get_host_cpu_features()) if _TARGET.tuned else ""


class _Context(CPUContext):
    def init(self) -> None:
        super().init()
        self._internal_codegen = _Codegen("snakestudio.exec")


class _TypingContext(typing.Context):
    """As numba's, but what `a * b` of two numbers gives is found out once: a quarter of a compilation went into it."""

    def __init__(self) -> None:
        super().__init__()
        self._found: dict[tuple[Any, ...], Any] = {}

    def resolve_function_type(self, func: Any, args: Any, kws: Any) -> Any:
        operator_of_numbers = (
            isinstance(func, numba_types.BaseFunction)
            and getattr(func.typing_key, "__module__", "") == "_operator"
            and all(isinstance(kind, numba_types.Number | numba_types.Boolean) for kind in args)
        )
        if kws or not operator_of_numbers:
            return super().resolve_function_type(func, args, kws)
        key = func, tuple(args)
        if key not in self._found:
            self._found[key] = super().resolve_function_type(func, args, kws)
        return self._found[key]


class _Flags(Flags):
    """As numba's, but compared by what is set: as they are, all have the same hash, and comparing is slow."""

    def __hash__(self) -> int:
        return hash(frozenset(name for name, value in self._values.items() if value is True))

    def __eq__(self, other: object) -> bool:
        if isinstance(other, _Flags) and self._values == other._values:
            return True
        return bool(super().__eq__(other))


class _Kernels(CPU):
    """The name of such code, by which numba compiles building blocks of its own (`max` of a tuple) likewise."""


target_registry["snakestudio"] = _Kernels


class _Target(CPUTarget):
    """As numba's target for processors, with contexts of its own."""

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
    """One function in LLVM's language; goes into wholes, never runs by itself."""

    def add_linking_library(self, library: Any) -> None:
        # numba finishes what it links with; parts are linked by the whole, when all of them are
        # known.
        if not isinstance(library, _Part):
            library._ensure_finalized()
        self._linking_libraries.append(library)

    def finalize(self) -> None:
        self._raise_if_finalized()
        self._finalized = True

    def _get_module_for_linking(self) -> Any:
        raise RuntimeError(
            f"numba wants to link with {self.name}, which is a part and can only go into a whole"
        )

    def below(self) -> Iterator[JITCodeLibrary]:
        """Itself and all libraries that it leads to, each once."""
        seen: set[int] = set()
        waiting: list[JITCodeLibrary] = [self]
        while waiting:
            library = waiting.pop(0)
            if id(library) not in seen:
                seen.add(id(library))
                yield library
                if isinstance(library, _Part):
                    waiting.extend(library._linking_libraries)


class _Whole(JITCodeLibrary):
    """A function that Python calls, with everything below it."""

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
        for name in inner:  # nobody outside calls them: what is inlined everywhere need not be made
            self._final_module.get_function(name).linkage = "linkonce_odr"
        self._optimize_final_module()
        self._final_module.verify()
        self._finalize_final_module()

    # --- kept in files: machine code and names, and none of LLVM's language, since nobody links
    # with a whole

    def state(self) -> tuple[str, bytes, list[str]]:
        module = self._final_module
        named = [
            v.name for v in (*module.functions, *module.global_variables) if not v.is_declaration
        ]
        return self.name, self._get_compiled_object(), named

    @classmethod
    def from_state(cls, codegen: Any, state: tuple[str, bytes, list[str]]) -> _Whole:
        name, code, named = state
        self = cls(codegen, name)
        self.enable_object_caching()
        self._set_compiled_object(code)
        self._finalize_final_module()
        codegen._engine._defined_symbols.update(named)
        return self


# -------------------------------------------------------------------------------------- compilation


class _Entry:
    """Stands for a part where numba wants a function to call."""


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
    """numba's way to a function, up to LLVM's language."""

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
    """A compilation makes millions of objects that live until its end: looking for garbage would take a fifth of it."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


class KernelDispatcher(CPUDispatcher):
    """A compiled function: to others that call it a part, to Python a whole.

    Parameters
    ----------
    options : dict
        numba's options of a target.
    """

    targetdescr = _Target()

    def __init__(self, py_func: Callable[..., Any], options: dict[str, Any]) -> None:
        super().__init__(py_func, targetoptions=options, pipeline_class=_PartCompiler)
        self._parts: dict[tuple[Any, ...], CompileResult] = {}
        self._compiler._customize_flags = _Flags

    def enable_caching(self) -> None:
        """Nothing to do: wholes are always kept."""

    def _part(self, args: tuple[Any, ...]) -> CompileResult:
        found = self._parts.get(args)
        if found is None:
            with event.trigger_event(
                "numba:compile", data={"dispatcher": self, "args": args, "return_type": None}
            ):
                found = self._parts[args] = self._compiler.compile(args, None)
        return found

    # --- what numba asks when it compiles a caller

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

    # --- what happens when Python calls with types that it has not called with

    def compile(self, sig: Any) -> Any:
        with global_compiler_lock:
            args = tuple(sigutils.normalize_signature(sig)[0])
            if args not in self.overloads:
                whole = _load(self, args)
                if whole is None:
                    self.targetctx.refresh()
                    with _without_collector():
                        whole = self._whole(self._part(args))
                    _save(self, args, whole)
                self.add_overload(whole)
            return self.overloads[args].entry_point

    def _whole(self, part: CompileResult) -> CompileResult:
        context = self.targetctx
        library = _Whole(context.codegen(), part.library.name)
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
        whole = part._replace(library=library, entry_point=call)
        for environment in whole._find_referenced_environments():
            library.codegen.set_env(environment.env_name, environment)
        return whole


def _block(**options: Any) -> Callable[[Callable[..., Any]], KernelDispatcher]:
    """Decorator that numba puts on building blocks."""
    return lambda function: KernelDispatcher(function, options)


dispatcher_registry[_Kernels] = KernelDispatcher
jit_registry[_Kernels] = _block


# -------------------------------------------------------------------------------------------- files

_used: set[str] = set()


def used_files() -> list[str]:
    """Names of the files that this process has loaded compiled code from or kept it in."""
    return sorted(_used)


def _file_name(dispatcher: KernelDispatcher, args: tuple[Any, ...]) -> str:
    function = dispatcher.py_func
    module = function.__module__.removeprefix("snakestudio.")
    # The magic says which processor it is really for.
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
    """What was compiled earlier; a file that is not whole is as none."""
    context = dispatcher.targetctx
    # `refresh` would do it, and load all that numba can compile, scipy.linalg among it
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
        whole = _Whole.from_state(context.codegen(), library)
        call = context.get_executable(whole, fndesc, environment)
        for one in environments:
            whole.codegen.set_env(one.env_name, one)
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
            library=whole,
            call_helper=None,
            environment=environment,
            metadata=None,
            reload_init=reload_init,
            referenced_envs=environments,
        )
    return None


def _save(dispatcher: KernelDispatcher, args: tuple[Any, ...], whole: CompileResult) -> None:
    if whole.library.has_dynamic_globals:
        raise RuntimeError(
            f"{dispatcher.py_func.__name__} has addresses of this process in it and cannot be kept"
        )
    name = _file_name(dispatcher, args)
    fndesc = whole.fndesc
    fndesc.typemap = fndesc.calltypes = None  # only for messages, and cannot be kept
    environments = tuple(whole._find_referenced_environments())
    state = (
        whole.library.state(),
        fndesc,
        whole.environment,
        whole.signature,
        tuple(whole.reload_init),
        environments,
    )
    body = dumps(state)
    try:
        _write(_cache.compile_cache() / name, hashlib.sha256(body).digest() + body)
    except OSError as error:
        _cache.note_cache_trouble(f"compiled code cannot be kept ({error})")
    else:
        _used.add(name)


def _write(path: Path, data: bytes) -> None:
    """All or nothing; of two processes that write the same file, either's is right."""
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
