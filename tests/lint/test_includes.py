"""The folders of the C core: which folder may include which, and the prefixes of names."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CORE = ROOT / "csrc"

# A folder includes files of itself and of these folders. No folder includes simd, which compiles the wide kernels
# of all folders for each instruction set. The lab, which only simd includes, may use all of them.
BELOW = {
    "include": set(),
    "base": set(),
    "geometry": {"base"},
    "broadphase": {"base", "geometry"},
    "narrowphase": {"base", "geometry"},
    "graph": {"base", "geometry", "broadphase", "narrowphase"},
    "joints": {"base", "geometry", "broadphase", "narrowphase", "graph"},
    "solver": {"base", "geometry", "broadphase", "narrowphase", "graph", "joints"},
    "buffers": {"base", "geometry", "broadphase", "narrowphase", "graph", "joints", "solver"},
    "objects": {"base", "geometry", "broadphase", "narrowphase", "graph", "joints", "solver"},
    "step": {"base", "geometry", "broadphase", "narrowphase", "graph", "joints", "solver", "objects"},
    "state": {"base", "geometry", "broadphase", "narrowphase", "graph", "joints", "solver", "objects", "step"},
    "api": {"base", "geometry", "broadphase", "narrowphase", "graph", "joints", "solver", "objects", "step", "state"},
    "page": set(),
    "simd": {"base", "broadphase", "narrowphase", "solver", "objects", "step", "lab"},
}
BELOW["lab"] = set(BELOW) - {"include", "simd", "page"}
SOURCES = sorted(path for suffix in ("c", "h", "inl") for path in CORE.rglob(f"*.{suffix}"))


def code(path: Path) -> str:
    """The text without comments, each line in its place."""
    text = re.sub(
        r"/\*.*?\*/", lambda match: "\n" * match[0].count("\n"), path.read_text(encoding="utf-8"), flags=re.DOTALL
    )
    return re.sub(r"//[^\n]*", "", text)


def test_there_are_sources() -> None:
    assert len(SOURCES) > 50


def test_every_folder_is_a_known_one() -> None:
    assert {path.relative_to(CORE).parts[0] for path in SOURCES} <= set(BELOW)


def test_folders_include_only_folders_above_them() -> None:
    wrong = []
    for path in SOURCES:
        folder = path.relative_to(CORE).parts[0]
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            included = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
            if included is None:
                continue
            first = included[1].split("/")[0]
            public = included[1] in ("box2dpy.h", "box2dpy_types.h", "box2dpy_trace.h") or first == "lists"
            public = public or (included[1] == "box2dpy_lab.h" and folder == "lab")
            if not public and first not in BELOW[folder] | {folder}:
                wrong.append(f"{path.relative_to(ROOT)}:{number} includes {included[1]}")
            elif not public and not (CORE / included[1]).is_file():
                wrong.append(f"{path.relative_to(ROOT)}:{number}: csrc/{included[1]} does not exist")
    assert wrong == []


def test_functions_are_defined_in_the_folder_of_their_header() -> None:
    """Otherwise a folder could call one below it, which declares what a folder above defines."""
    wrong = []
    for path in SOURCES:
        folder = path.relative_to(CORE).parts[0]
        if path.suffix != ".h" or folder == "include":
            continue
        declared = re.findall(
            r"^(?!static|typedef)[A-Za-z_][\w *]*?[ *](b2d_\w+)\([^{};]*\);", code(path), flags=re.MULTILINE
        )
        sources = "".join(code(each) for each in SOURCES if each.parent == path.parent and each.suffix != ".h")
        wrong += [
            f"{path.relative_to(ROOT)}: {name}"
            for name in declared
            if re.search(rf"^(?!static)[A-Za-z_][\w *]*?[ *]{name}\([^{{}};]*\) \{{", sources, flags=re.MULTILINE)
            is None
        ]
    assert wrong == []


def test_functions_with_external_linkage_have_the_prefix() -> None:
    """Every function at the start of a line that is not static: in .c files definitions, in headers prototypes."""
    texts = {path: code(path) for path in SOURCES}
    static = {"static", "typedef", "return", "else"}  # and macros for `static inline`
    for text in texts.values():
        static |= set(re.findall(r"^\s*#\s*define\s+(\w+)\s+static\b", text, flags=re.MULTILINE))
    wrong = []
    for path, text in texts.items():
        wrong += [
            f"{path.relative_to(ROOT)}: {name}"
            for first, name in re.findall(r"^([A-Za-z_]\w*)\b(?:[ *]+\w+)*?[ *]+(\w+)\(", text, flags=re.MULTILINE)
            if first not in static and not name.startswith(("b2d_", "B2D_KERNEL", "_Static_assert", "__attribute__"))
        ]
    assert wrong == []


def test_types_and_macros_of_headers_have_the_prefix() -> None:
    """base/simd.h is a vocabulary of its own (vf, V_LANES), seen only by the units that hold a kernel."""
    wrong = []
    for path in SOURCES:
        if path.suffix != ".h" or path.name in ("simd.h", "simd_end.h"):
            continue
        text = code(path)
        names = [(name, "B2D_") for name in re.findall(r"^#\s*define\s+(\w+)", text, flags=re.MULTILINE)]
        names += [(name, "b2d_") for name in re.findall(r"^\}\s*(\w+);", text, flags=re.MULTILINE)]
        names += [(name, "b2d_") for name in re.findall(r"^typedef [\w ]+?[ *](\w+);", text, flags=re.MULTILINE)]
        names += [
            (name, "b2d_")
            for name in re.findall(r"^(?:static inline|V_OP|B2D_INLINE) [\w *]+?\b(\w+)\(", text, flags=re.MULTILINE)
        ]
        wrong += [
            f"{path.relative_to(ROOT)}: {name}" for name, prefix in names if not name.startswith((prefix, "BOX2DPY_H"))
        ]
    assert wrong == []


def public() -> str:
    return "\n".join(code(CORE / "include" / name) for name in ("box2dpy_types.h", "box2dpy.h"))


def test_public_header_declares_only_prefixed_names() -> None:
    text = public()
    functions = re.findall(r"\b(\w+)\([^()]*\)\s*;", text)
    constants = [
        name
        for body in re.findall(r"^enum \{([^{}#]*)\};", text, flags=re.MULTILINE)
        for name in re.findall(r"\b[A-Z]\w*", body)
    ]
    assert len(functions) > 50
    assert len(constants) > 20
    assert [name for name in functions if not name.startswith("b2d_")] == []
    assert [name for name in constants if not name.startswith("B2D_")] == []


def test_a_step_calls_nothing_of_the_program_but_one_optional_callback() -> None:
    """The header knows two types of functions: the callback of a world, and what gives a hosted scheduler threads."""
    text = " ".join(public().split())
    assert re.findall(r"\(\s*\*\s*(\w*)\s*\)", text) == ["b2d_callback", "b2d_enqueue"]
    takers = [
        (name, kind)
        for name, arguments in re.findall(r"(\w+)\(([^()]*)\)", text)
        for kind in re.findall(r"\b(b2d_callback|b2d_enqueue)\b", arguments)
    ]
    assert sorted(takers) == [
        ("b2d_scheduler_create_hosted", "b2d_enqueue"), ("b2d_world_set_callback", "b2d_callback")
    ]  # fmt: skip


def test_only_kernels_include_simd_headers() -> None:
    """base/simd.h switches the compiler to an instruction set, so only the units of csrc/simd may include it."""
    users = {
        path.relative_to(CORE).as_posix()
        for path in SOURCES
        if re.search(r'#\s*include "base/simd\.h"', path.read_text(encoding="utf-8"))
    }
    assert users == {"simd/kernels.inl"}
    included = {
        path.relative_to(CORE).as_posix(): set(re.findall(r'#\s*include "([^"]+)"', path.read_text(encoding="utf-8")))
        for path in SOURCES
        if path.parent.name == "simd"
    }
    units = {f"simd/{name}.c" for name in ("scalar", "sse2", "avx2", "avx512", "neon", "wasm")}
    assert set(included) == units | {"simd/kernels.inl"}
    assert all(included[unit] == {"simd/kernels.inl"} for unit in units)
    kernels = {path.relative_to(CORE).as_posix() for path in CORE.glob("*/*_wide.inl")}
    assert included["simd/kernels.inl"] - kernels == {"base/simd.h", "base/simd_end.h"}


def test_files_open_with_a_comment_that_names_their_path() -> None:
    """`// csrc/folder/file.c - its idea`: the first line says where one is."""
    wrong = [
        path.relative_to(ROOT).as_posix()
        for path in SOURCES
        if not path.read_text(encoding="utf-8").startswith(f"// {path.relative_to(ROOT).as_posix()} - ")
    ]
    assert wrong == []


def test_tests_named_in_c_files_exist() -> None:
    """Those that comments of the core, of the C tests and of the C benchmarks name."""
    folders = ("csrc", "tests/c", "benchmarks/c")
    files = [path for folder in folders for kind in ("c", "h", "inl") for path in (ROOT / folder).rglob(f"*.{kind}")]
    named = {
        name for path in files for name in re.findall(r"\btests/[\w/]+\.(?:py|c|h)\b", path.read_text(encoding="utf-8"))
    }
    assert len(named) > 50
    assert sorted(name for name in named if not (ROOT / name).exists()) == []


# The last bits of these differ between platforms, so no world may depend on them
INEXACT = re.compile(r"(?<![\w.>])(?:(?:a?(?:sin|cos|tan)h?|atan2|exp2?|log(?:2|10|1p)?|pow|cbrt|hypot)f?)\(")


def test_the_core_takes_no_inexact_function_of_libm() -> None:
    """The lab may measure with them, and a page draws with them."""
    found = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in sorted(CORE.rglob("*.[chi]*"))
        if path.parent.name not in ("lab", "page")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if INEXACT.search(line.split("//")[0])
    ]
    assert found == []
