"""Kernels that only kernels call: compiled as far as bitcode, and linked into each kernel that Python calls.

Numba makes of every function a wrapper for Python, optimises it and generates machine code, and optimises it again
inside each caller: for the five kernels in six that Python never calls this work is lost. Here an inner kernel ends
as a library of bitcode without machine code; what calls it takes it in, optimises the whole and generates code once.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, CompilerBase, DefaultPassBuilder, Flags
from numba.core.registry import CPUDispatcher
from numba.core.types import unliteral


class Bitcode(JITCodeLibrary):
    """A library that other libraries take in; it has no addresses."""

    def finalize(self) -> None:
        """Link what the kernel calls, and leave it to the caller to optimise."""
        self._raise_if_finalized()
        for library in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalize_dynamic_globals()
        self._finalized = True


class InheritedFlags(Flags):
    """What numba's own functions take over from a kernel that calls them; one object for each set of values.

    Numba looks them up by these flags. With all of a kernel's flags it would compile `min` anew for kernels that
    differ in whether they release the GIL, and spend a tenth of its time on hashing and comparing them.
    """

    __eq__, __hash__ = object.__eq__, object.__hash__

    def copy(self) -> Flags:
        """Flags that may be changed."""
        return Flags(self)


@cache
def inherited(**values: Any) -> InheritedFlags:
    """The one object for these values."""
    flags = InheritedFlags()
    for name, value in values.items():
        setattr(flags, name, value)
    return flags


class KernelFlags(Flags):
    """A kernel's own flags; numba copies them for what the kernel calls."""

    def copy(self) -> InheritedFlags:
        """The part that is taken over."""
        return inherited(error_model=self.error_model, forceinline=self.forceinline, nrt=self.nrt)


class InnerCompiler(CompilerBase):
    """Numba's pipeline into `Bitcode`; in place of a function the result holds what callers know the kernel by."""

    def define_pipelines(self) -> list[Any]:
        """The passes of a kernel."""
        return [DefaultPassBuilder.define_nopython_pipeline(self.state)]

    def compile_extra(self, func: Any) -> Any:
        """The compiled function, known to the kernels that are compiled after it."""
        self.state.flags = KernelFlags(self.state.flags)
        self.state.flags.no_compile = True
        self.state.library = Bitcode(self.state.targetctx.codegen(), func.__qualname__)
        result = super().compile_extra(func)
        name = object()
        self.state.targetctx.insert_user_function(name, result.fndesc, [result.library])
        return result._replace(entry_point=name)


class OuterCompiler(Compiler):
    """Numba's pipeline for a kernel that Python calls."""

    def compile_extra(self, func: Any) -> Any:
        """The compiled function; each kernel inside it is given its environment, which raising an error takes."""
        self.state.flags = KernelFlags(self.state.flags)
        result = super().compile_extra(func)
        for environment in result._find_referenced_environments():
            result.codegen.set_env(environment.env_name, environment)
        return result


class InnerKernel(CPUDispatcher):
    """What numba finds where a kernel calls an inner one."""

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """How it is called with these types; a constant is a number like any other, not a type of its own."""
        return super().get_call_template([unliteral(t) for t in args], {k: unliteral(t) for k, t in kws.items()})

    def add_overload(self, result: Any) -> None:
        """Keep it for kernels; the part that serves Python learns nothing."""
        self.overloads[tuple(result.signature.args)] = result

    def _compile_for_args(self, *args: Any, **named: Any) -> Any:
        """A call from Python. Raises TypeError."""
        raise TypeError(
            f"{self.py_func.__module__}.{self.py_func.__qualname__} is called by kernels only: "
            "declare it @kernel() to call it from Python"
        )
