"""Executables in other processes and threads: forks, pickles, Ctrl-C, output that cannot be written.

What may hang runs in a process of its own that is ended after some seconds.
"""

from __future__ import annotations

import ast
import copy
import copyreg
import multiprocessing
import os
import pickle
import re
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xdsl_relax
from harness.pool_work import call_main
from xdsl_relax.dialects.upstream.op_error import OpError
from xdsl_relax.interpreter.host.errors import ArgumentError
from xdsl_relax.runtime.cache.settings import FOLDER_VARIABLE, OFF
from xdsl_relax.runtime.executable.executable import Executable
from xdsl_relax.runtime.machine.jit import ForeignCodeError
from xdsl_relax.tools.relax_opt import main as relax_opt
from xdsl_relax.tools.relax_run import main as relax_run
from xdsl_relax.whole_file import whole_file

SECONDS = 60
ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "linear.mlir"

N = "tensor<?x8xf32, #relax.sym<n>>"
LIFTED = f"""
func.func @main(%x: {N}, %w: tensor<4x8xf32> {{relax.name = "w"}}) -> tensor<?x4xf32, #relax.sym<n>>
    attributes {{relax.num_input = 1 : i64}} {{
  %r = relax.dataflow {{
    %t = relax.permute_dims %w : (tensor<4x8xf32>) -> tensor<8x4xf32>
    %y = relax.matmul %x, %t : ({N}, tensor<8x4xf32>) -> tensor<?x4xf32, #relax.sym<n>>
    relax.output %y : tensor<?x4xf32, #relax.sym<n>>
  }} : tensor<?x4xf32, #relax.sym<n>>
  return %r : tensor<?x4xf32, #relax.sym<n>>
}}"""
PRODUCT = """
func.func @main(%x: tensor<256x256xf32>, %y: tensor<256x256xf32>) -> tensor<256x256xf32> {
  %z = relax.matmul %x, %y : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  return %z : tensor<256x256xf32>
}"""

COMMON = f"""
import os, signal, sys, threading, time
import numpy as np
import xdsl_relax

# A shell that starts the tests in the background ignores Ctrl-C for them.
signal.signal(signal.SIGINT, signal.default_int_handler)
PRODUCT = {PRODUCT!r}
ones = np.ones((256, 256), np.float32)


def threads():
    return len(os.listdir("/proc/self/task"))


def call(exe):
    assert (exe["main"](ones, ones) == 256).all()


def in_child(fork, work):
    child = fork()
    if child == 0:
        status = 1
        try:
            signal.alarm(20)
            work()
            status = 0
        finally:
            os._exit(status)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert status == 0, f"the child ended with {{status}}"
"""


def _run(script: str, *args: str, cache: str = OFF) -> str:
    """Runs Python in a process of its own; returns what it printed."""
    text = COMMON + textwrap.dedent(script)
    environment = {**os.environ, FOLDER_VARIABLE: cache}
    done = subprocess.run(
        [sys.executable, "-c", text, *args], capture_output=True, text=True, timeout=SECONDS, env=environment
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Returns the folder of a cache, for processes that run the same program."""
    return str(tmp_path_factory.mktemp("cache"))


def _tool(name: str, *args: str, **options: Any) -> subprocess.CompletedProcess[str]:
    code = f"import sys; from xdsl_relax.tools.commands import relax_{name}; sys.exit(relax_{name}())"
    return subprocess.run([sys.executable, "-c", code, *args], text=True, timeout=SECONDS, **options)


def test_a_forked_child_forms_a_team_of_its_own():
    # The alarm of a child that hangs ends it with SIGALRM.
    _run("""
    exe = xdsl_relax.compile(PRODUCT, threads=2)
    call(exe)
    team = threads()
    if team > 1:
        def child():
            call(exe)
            assert threads() == 2
            in_child(os.fork, lambda: call(exe))
        in_child(os.fork, child)
        call(exe)
    """)


def test_a_child_that_a_thread_has_forked_works():
    _run("""
    exe = xdsl_relax.compile(PRODUCT, threads=0)
    call(exe)
    errors = []
    def work():
        try:
            call(exe)
            in_child(os.fork, lambda: call(exe))
            call(exe)
        except BaseException as error:
            errors.append(error)
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert not errors, errors
    call(exe)
    """)


def test_a_child_that_c_code_has_forked_is_refused_in_place_of_hanging():
    _run("""
    import ctypes
    from xdsl_relax.runtime.machine.forks import ForkError
    from xdsl_relax.runtime.machine.threads import find_openmp
    exe, alone = xdsl_relax.compile(PRODUCT, threads=2), xdsl_relax.compile(PRODUCT)
    for _ in range(70):  # Calls after the 64th like it go another way.
        call(exe)
    def child():
        call(alone)
        if find_openmp() is None or hasattr(find_openmp().library, "kmp_set_blocktime"):
            return
        for fork in range(2):
            try:
                call(exe)
                raise AssertionError("no error")
            except ForkError as error:
                assert "forked" in str(error) and "threads=1" in str(error)
            if fork == 0:
                in_child(os.fork, lambda: call(alone))
    in_child(ctypes.PyDLL(None).fork, child)
    """)


def test_a_fork_during_a_compile_of_another_thread_leaves_a_child_that_compiles():
    _run("""
    from xdsl_relax.runtime.machine import jit
    started, go_on = threading.Event(), threading.Event()
    def holds_the_compiler():
        with jit._lock:
            started.set()
            go_on.wait(10)
    threading.Thread(target=holds_the_compiler).start()
    started.wait()
    threading.Timer(0.3, go_on.set).start()
    in_child(os.fork, lambda: call(xdsl_relax.compile(PRODUCT)))
    """)


@pytest.fixture(scope="module")
def lifted() -> Executable:
    return xdsl_relax.compile(LIFTED, lift=True, threads=2)


@pytest.fixture(scope="module")
def arrays() -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    rng = np.random.default_rng(3)
    return rng.standard_normal((5, 8), np.float32), rng.standard_normal((4, 8), np.float32)


def test_a_pickle_computes_the_same(lifted: Executable, arrays: tuple[Any, Any]):
    x, w = arrays
    params = lifted.transform_params({"w": w}, progress=False)
    expected = lifted["main"](x, params)
    exe, function, kept = pickle.loads(pickle.dumps((lifted, lifted["main"], params)))
    assert np.array_equal(function(x, kept), expected)
    assert np.array_equal(exe["main"](x, kept), expected)
    assert np.array_equal(exe["main"](x, exe.transform_params({"w": w}, progress=False)), expected)
    assert exe.interface == lifted.interface and exe.code == lifted.code
    np.testing.assert_allclose(expected, x @ w.T, rtol=1e-5)


def test_a_copy_is_the_same_executable(lifted: Executable):
    function = lifted["main"]
    for copied in (copy.copy, copy.deepcopy):
        assert copied(lifted) is lifted and copied(function) is function
    assert copy.deepcopy({"exe": lifted})["exe"] is lifted


def test_a_pickle_of_code_for_another_cpu_says_so_when_it_is_called(arrays: tuple[Any, Any]):
    far = "x86-64-v3" if os.uname().machine == "aarch64" else "aarch64-neoverse-v1"
    exe = pickle.loads(pickle.dumps(xdsl_relax.compile(LIFTED, target=far)))
    with pytest.raises(ForeignCodeError, match=f"cannot run code for {far}"):
        exe["main"](*arrays)


def test_a_pickle_whose_code_was_exchanged_is_refused(lifted: Executable):
    reduced: Any = copyreg.dispatch_table[Executable](lifted)
    function, (record, code) = reduced
    with pytest.raises(Exception, match="digests differ"):
        function(record, code[:-1] + b"\0\0")
    with pytest.raises(ArgumentError, match="not an interface record"):
        function(record.replace('"threads":2', '"threads":3'), code)


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_a_pool_of_processes_calls_an_executable(method: str, lifted: Executable, arrays: tuple[Any, Any]):
    x, w = arrays
    params = lifted.transform_params({"w": w}, progress=False)
    expected = lifted["main"](x, params)
    with multiprocessing.get_context(method).Pool(2) as pool:
        whole = pool.starmap_async(call_main, [(lifted, x, params)] * 4).get(SECONDS)
        functions = pool.starmap_async(lifted["main"], [(x, params)] * 4).get(SECONDS)
        refused = pool.starmap_async(lifted["main"], [(x[:, :3], params)])
        with pytest.raises(ArgumentError, match="expected 8, got 3"):
            refused.get(SECONDS)
    assert all(np.array_equal(value, expected) for value in (*whole, *functions))


def test_threads_compile_and_call_at_once(arrays: tuple[Any, Any]):
    _, w = arrays
    shared = xdsl_relax.compile(LIFTED, threads=2)
    failures: list[Any] = []

    def work(seed: int) -> None:
        rng = np.random.default_rng(seed)
        own = xdsl_relax.compile(LIFTED, opt_level=seed % 3) if seed < 4 else shared
        for _ in range(20):
            a = rng.standard_normal((rng.integers(1, 40), 8), np.float32)
            for exe in (own, shared):
                if not np.allclose(exe["main"](a, w), a @ w.T, rtol=1e-4, atol=1e-5):
                    failures.append(seed)

    with ThreadPoolExecutor(12) as pool:
        list(pool.map(work, range(12), timeout=SECONDS))
    assert not failures
    assert threading.active_count() < 12


def test_errors_of_a_pool_arrive():
    with pytest.raises(OpError) as raised:
        xdsl_relax.compile("func.func @main() {\n  cf.br ^end\n^end:\n  return\n}")
    error = pickle.loads(pickle.dumps(raised.value))
    assert type(error) is OpError and str(error) == str(raised.value) and error.reason == raised.value.reason
    assert error.op is None


def test_every_error_can_be_unpickled():
    # An error whose constructor takes something else than its text must say how it is made again.
    wrong: list[str] = []
    package = Path(xdsl_relax.__file__).parent
    rooms = [path for path in package.iterdir() if (path / "__init__.py").exists()]
    for path in [*package.glob("*.py"), *(path for room in rooms for path in room.rglob("*.py"))]:
        text = path.read_text()
        if not re.search(r"^ *class \w+\(.*(Error|Exception)\b", text, re.MULTILINE):
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ClassDef):
                bases = {ast.unparse(base) for base in node.bases}
                own = any(isinstance(item, ast.FunctionDef) and item.name == "__init__" for item in node.body)
                if (
                    own
                    and any(base.endswith(("Error", "Exception")) for base in bases)
                    and "PicklableError" not in bases
                ):
                    wrong.append(f"{path}: {node.name}")
    assert not wrong


INTERRUPTED_COMPILE = """
from xdsl_relax.runtime.machine import jit

exe = xdsl_relax.compile(PRODUCT)
emit, pressed, ended = jit._emit_object, [], threading.Event()


def interrupted(*args):
    # Ctrl-C comes when LLVM has the compiler's lock and works.
    with jit._lock:
        pressed.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)
        if sys.argv[1] == "0":
            time.sleep(0.5)
        else:
            lines = ["define void @f(ptr %p) {", "  %s0 = load double, ptr %p"]
            for i in range(int(sys.argv[1])):
                lines.append(f"  %g{i} = getelementptr double, ptr %p, i64 {i * 7 % 4096}")
                lines.append(f"  %l{i} = load double, ptr %g{i}")
                lines.append(f"  %m{i} = fmul double %s{i}, %l{i // 2}")
                lines.append(f"  %s{i + 1} = fadd double %m{i}, %l{i // 3}")
                lines.append(f"  store double %s{i + 1}, ptr %g{i}")
            emit("\\n".join([*lines, "  ret void", "}"]), *args[1:])
        ended.set()


jit._emit_object = interrupted
try:
    xdsl_relax.compile(PRODUCT)
    raise AssertionError("the key was not noticed")
except KeyboardInterrupt:
    assert not ended.is_set()
jit._emit_object = emit
call(exe)
"""


def test_ctrl_c_ends_a_compile_at_once_and_the_process_after_it():
    # 40,000 operations take LLVM half a minute and more, during which the process ends.
    start = time.monotonic()
    assert _run(INTERRUPTED_COMPILE + "assert not ended.is_set()\nprint('done')\n", "40000") == "done\n"
    assert time.monotonic() - start < SECONDS


def test_after_ctrl_c_code_is_freed_and_compiled():
    _run(
        INTERRUPTED_COMPILE
        + "del exe\nassert not ended.is_set()\ncall(xdsl_relax.compile(PRODUCT))\nassert ended.is_set()\n",
        "0",
    )


LONG_CALL = """
from xdsl_relax.runtime.executable import native_function

ROWS = "tensor<512x512xf32>"
ops = [f"  %{i + 1} = relax.matmul %{i}, %w : ({ROWS}, tensor<512x512xf32>) -> {ROWS}" for i in range(100)]
text = f"func.func @main(%0: {ROWS}, %w: tensor<512x512xf32>) -> {ROWS} {{"
function = xdsl_relax.compile("\\n".join([text, *ops, f"  return %100 : {ROWS}", "}"]), opt_level=0)["main"]
args = np.zeros((512, 512), np.float32), np.zeros((512, 512), np.float32)
start = time.monotonic()
function(*args)
whole = time.monotonic() - start
if sys.argv[1:] == ["repeated"]:
    native_function.AFTER = 1
    function(*args)


def seconds_of_a_call(signal_number):
    threading.Timer(whole / 10, os.kill, (os.getpid(), signal_number)).start()
    start = time.monotonic()
    try:
        function(*args)
    finally:
        print(f"{(time.monotonic() - start) / whole:.2f}")
"""


REPEATED = pytest.mark.parametrize("calls", ["first", "repeated"])


@REPEATED
def test_a_handler_that_raises_ends_a_call_before_its_next_kernel(calls: str, cache: str):
    script = (
        LONG_CALL
        + """
def late(*_):
    raise TimeoutError("too late")


signal.signal(signal.SIGALRM, late)
for number, error in ((signal.SIGINT, KeyboardInterrupt), (signal.SIGALRM, TimeoutError)):
    try:
        seconds_of_a_call(number)
        raise AssertionError("the signal was not noticed")
    except error:
        pass
assert not function(*args).any()
"""
    )
    # Of a machine that others use as well; a call that nothing ends takes 1.
    assert all(float(line) < 0.8 for line in _run(script, calls, cache=cache).splitlines())


@REPEATED
def test_a_handler_that_returns_lets_a_call_go_on_and_may_call_itself(calls: str, cache: str):
    script = (
        LONG_CALL
        + """
small = xdsl_relax.compile(PRODUCT)
handled = []
call(small), call(small)
signal.signal(signal.SIGALRM, lambda *_: handled.append(call(small)))
for _ in range(2):
    signal.setitimer(signal.ITIMER_REAL, whole / 10)
    assert not function(*args).any()
assert len(handled) == 2
"""
    )
    _run(script, calls, cache=cache)


@REPEATED
def test_calls_of_threads_that_go_on_when_the_process_ends(calls: str, cache: str):
    _run(
        """
    from xdsl_relax.runtime.executable import native_function
    if sys.argv[1:] == ["repeated"]:
        native_function.AFTER = 1
    exe = xdsl_relax.compile(PRODUCT)
    call(exe), call(exe)
    def work():
        while True:
            exe["main"](ones, ones)
    for _ in range(3):
        threading.Thread(target=work, daemon=True).start()
    time.sleep(0.1)
    """,
        calls,
        cache=cache,
    )


@REPEATED
def test_a_child_that_a_thread_has_forked_handles_signals(calls: str, cache: str):
    script = (
        LONG_CALL
        + """
def child():
    try:
        seconds_of_a_call(signal.SIGINT)
    except KeyboardInterrupt:
        sys.stdout.flush()
        return
    raise AssertionError("the signal was not noticed")


thread = threading.Thread(target=lambda: in_child(os.fork, child))
thread.start()
thread.join()
"""
    )
    (line,) = _run(script, calls, cache=cache).splitlines()
    assert float(line) < 0.8


SLEEPING = """
import os, signal, sys, threading
from xdsl_relax.tools import commands
signal.signal(signal.SIGINT, signal.default_int_handler)
def main():
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    threading.Event().wait(30)
    return 0
sys.exit(commands.run_command("relax-run", main))
"""


def test_ctrl_c_ends_a_tool_with_one_line():
    done = subprocess.run([sys.executable, "-c", SLEEPING], capture_output=True, text=True, timeout=SECONDS)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "relax-run: interrupted\n")


WRITERS = [("opt", ("--list-passes",)), ("run", (str(EXAMPLE),))]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="/dev/full is of Linux")
@pytest.mark.parametrize(("tool", "args"), WRITERS, ids=lambda value: str(value)[:20])
def test_a_full_disk_behind_stdout_is_one_line(tool: str, args: tuple[str, ...]):
    with open("/dev/full", "w") as full:
        done = _tool(tool, *args, stdout=full, stderr=subprocess.PIPE)
    assert (done.returncode, done.stderr) == (1, "stdout: error: no space left on device\n")


def test_a_closed_stdout_is_nobody_who_reads():
    command = [
        sys.executable,
        "-c",
        "import sys; from xdsl_relax.tools.commands import relax_opt; sys.exit(relax_opt())",
    ]
    done = subprocess.run(
        ["sh", "-c", '"$@" >&-', "sh", *command, str(EXAMPLE)], stderr=subprocess.PIPE, text=True, timeout=SECONDS
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("place", ["file/inside", "nowhere/inside", "folder"])
@pytest.mark.parametrize(
    ("main", "option"), [(relax_opt, "-o"), (relax_run, "--save-transformed"), (relax_run, "--out")]
)
def test_a_path_that_cannot_be_written_is_one_line_that_names_it(
    main: Callable[[list[str]], int], option: str, place: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    (tmp_path / "file").write_text("x")
    (tmp_path / "folder").mkdir()
    # Results go into a folder, which is made.
    path = tmp_path / (place if option != "--out" else "file/inside" if place == "nowhere/inside" else "file")
    assert main([str(EXAMPLE), option, str(path)]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"{path}: error: ")
    assert sorted(p.name for p in tmp_path.rglob("*")) == ["file", "folder"]


def test_a_failure_is_one_where_nobody_reads_its_message():
    code = "import sys; from xdsl_relax.tools.commands import relax_opt; sys.exit(relax_opt())"
    for program, status in (("func.func @main(", 1), ("func.func @main() { return }", 0)):
        done = subprocess.run(
            ["bash", "-c", '"$@" 2>&1 | true; exit ${PIPESTATUS[0]}', "bash", sys.executable, "-c", code],
            input=program,
            text=True,
            timeout=SECONDS,
        )
        assert done.returncode == status


def test_a_file_is_not_half_written_when_ctrl_c_is_pressed(tmp_path: Path):
    path = tmp_path / "out"
    path.write_text("old")
    with pytest.raises(KeyboardInterrupt), whole_file(path) as stream:
        stream.write(b"new")
        raise KeyboardInterrupt
    assert path.read_text() == "old" and os.listdir(tmp_path) == ["out"]
