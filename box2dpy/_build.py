"""How `box2dpy._core` is compiled: the cffi declaration of the C core, made from the public headers.

Run by setup.py through cffi's setuptools hook, never imported by the package. The public headers are read as text:
lines that start with `#` are dropped, and each block of `#define MACRO(parameters) text`, `#include "lists/x.def"`,
`#undef MACRO` is expanded the way the preprocessor would. The lists themselves are compiled in as the string
`b2d_lists`, so that Python reads names and sentences from the same place as C does.

Environment: `B2D_SANITIZE=address,undefined` (or `thread`) and `B2D_ASSERTS=1` make test builds;
`B2D_NO_LAB=1` leaves out csrc/lab.
"""

from __future__ import annotations

import json
import os
import re
import sys
import sysconfig
from pathlib import Path

from cffi import FFI

ROOT = Path(__file__).resolve().parent.parent if "__file__" in globals() else Path.cwd()
INCLUDE = ROOT / "csrc" / "include"
# A free-threaded Python has no stable ABI before 3.15.
LIMITED = not sysconfig.get_config_var("Py_GIL_DISABLED")
ASSERTS = os.environ.get("B2D_ASSERTS", "0") not in ("", "0")
LAB = os.environ.get("B2D_NO_LAB", "0") in ("", "0")
HEADERS = [INCLUDE / f"box2dpy{part}.h" for part in ("_types", "", "_trace", *(["_lab"] if LAB else []))]

# cffi releases the GIL in every call. A brief step keeps it, because handing it over and back takes longer. Compilers
# compare the two literals, so all other calls are as they were.
GIL = """
#include <string.h>
#undef Py_BEGIN_ALLOW_THREADS
#undef Py_END_ALLOW_THREADS
#define Py_BEGIN_ALLOW_THREADS \\
    { PyThreadState* saved = strcmp(__func__, "_cffi_f_b2d_world_step_brief") == 0 ? NULL : PyEval_SaveThread();
#define Py_END_ALLOW_THREADS if (saved != NULL) PyEval_RestoreThread(saved); }
"""

EXTRA_DECLARATIONS = """
extern const char b2d_lists[];
extern "Python" int32_t b2d_call_python(void* user, int32_t call, const void* rows, int32_t count);
extern "Python" void b2d_enqueue_python(void* user, b2d_help* help);
"""


def strip_comments(text: str) -> str:
    return re.sub(r"//[^\n]*", "", text)


def list_rows(path: Path) -> list[list[str]]:
    """The arguments of each call of the macro of a list; without those of the lab in a build without it. A string may
    be written in several parts."""
    rows, macro = [], ""
    text = expand_lists(strip_comments(path.read_text(encoding="utf-8")))
    part = r'^#include "lists/(\w+\.def)"$'
    left = re.sub(part, lambda found: included(path.parent / found[1]), text, flags=re.MULTILINE)
    left = re.sub(r"^#.*$", "", left, flags=re.MULTILINE)
    for call in re.finditer(r'(\w+)\(((?:"(?:[^"\\]|\\.)*"|[^()"])*)\)\n', left):
        left = left.replace(call[0], "", 1)
        macro = macro or call[1]  # that of the first one; `lab.def` has parts of several lists
        if call[1] != macro:
            continue
        joined = re.sub(r'"\s+"', "", call[2])
        rows.append([field.strip() for field in re.findall(r'\s*("(?:[^"\\]|\\.)*"|[^,"]+)', joined)])
    if left.strip():
        raise SystemExit(f"{path}: a list holds macro calls, not {left.strip()!r}")
    return rows


def included(path: Path) -> str:
    """A list that is a part of another one."""
    if path.name == "lab.def" and not LAB:
        return ""
    return strip_comments(path.read_text(encoding="utf-8"))


def expand_lists(text: str) -> str:
    """Replaces every define / include / undef block by the list it stands for."""

    def expand(block: re.Match[str]) -> str:
        parameters = [name.strip() for name in block["parameters"].split(",")]
        named = [name for name in parameters if name != "..."]
        lines = []
        for row in list_rows(INCLUDE / block["path"]):
            line = block["text"]
            for parameter, value in zip(named, row, strict=named == parameters):
                line = re.sub(rf"##{parameter}\b", value, line)
                line = re.sub(rf"(?<!\w){parameter}(?!\w)", lambda _, value=value: value, line)
            lines.append(line.replace("##", ""))
        return "\n".join(lines) + "\n"

    return re.sub(
        r'^#define \w+\((?P<parameters>[^)]*)\) (?P<text>[^\n]*)\n#include "(?P<path>lists/\w+\.def)"\n#undef \w+\n',
        expand,
        text,
        flags=re.MULTILINE,
    )


def declarations() -> str:
    """Declarations for cffi: the headers without their preprocessor lines."""
    text = expand_lists(strip_comments("".join(header.read_text(encoding="utf-8") for header in HEADERS)))
    return "".join(line + "\n" for line in text.splitlines() if line.strip() and not line.startswith("#"))


def lists_literal() -> str:
    """All lists as one C string: `list TAB field TAB field ...` a line."""
    lists = INCLUDE / "lists"
    lines = [
        "\t".join([path.relative_to(lists).with_suffix("").as_posix(), *(literal(field) for field in row)])
        for path in sorted(lists.rglob("*.def"))
        for row in list_rows(path)
    ]
    quoted = ("    " + json.dumps(line + "\n", ensure_ascii=False) for line in lines)
    return "const char b2d_lists[] =\n" + "\n".join(quoted) + ";\n"


def literal(field: str) -> str:
    """The text of a field of a list, of a string without its quotes."""
    return str(json.loads(field)) if field.startswith('"') else field


def compile_args() -> list[str]:
    if sys.platform == "win32":  # the flags of clang-cl, see setup.py
        return ["/std:c17", "/O2", "/clang:-ffp-contract=off", "/clang:-fno-math-errno"]
    args = ["-std=c17", "-O2", "-Wall", "-Wextra", "-fvisibility=hidden", "-ffp-contract=off", "-fno-math-errno"]
    if os.environ.get("B2D_SANITIZE"):
        args += [f"-fsanitize={os.environ['B2D_SANITIZE']}", "-fno-sanitize-recover=undefined"]
        # Line numbers only: gcc tracks variables of wide kernels for minutes
        args += ["-fno-omit-frame-pointer", "-g1", "-O1"]
    elif not ASSERTS:
        args += ["-g0"]  # Python's own flags have -g: it makes a library of 17 MB out of one of 1.4 MB
    if ASSERTS:
        args += ["-DB2D_ASSERTS"]
    if not LAB:
        args += ["-DB2D_NO_LAB"]
    return [*args, "-pthread"]


def link_args() -> list[str]:
    if sys.platform == "win32":
        return []
    sanitize = os.environ.get("B2D_SANITIZE")
    strip = sys.platform == "linux" and not ASSERTS and not sanitize
    return ["-pthread", *([f"-fsanitize={sanitize}"] if sanitize else []), *(["-s"] if strip else [])]


def make_builder() -> FFI:
    builder = FFI()
    builder.cdef(declarations() + EXTRA_DECLARATIONS)
    builder.set_source(
        "box2dpy._core",
        f'{GIL}#include "{HEADERS[-1].name}"\n' + lists_literal(),
        sources=sorted(
            str(path.relative_to(ROOT)) for path in ROOT.glob("csrc/*/*.c") if LAB or path.parent.name != "lab"
        ),
        include_dirs=["csrc", "csrc/include"],
        define_macros=[("Py_LIMITED_API", "0x030A0000")] if LIMITED else [],
        extra_compile_args=compile_args(),
        extra_link_args=link_args(),
        py_limited_api=LIMITED,
    )
    return builder


if __name__ == "__main__":
    sys.stdout.write(declarations() + EXTRA_DECLARATIONS)
elif __name__ == "__cffi__":
    ffibuilder = make_builder()
