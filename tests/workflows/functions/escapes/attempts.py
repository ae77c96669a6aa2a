"""Functions that try to get out of their worker, or to use up the machine. Each says what it reached.

A text that begins with "reached" is a success of the attempt; one that begins with "stopped" is the error that it got.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

from greenrun import Chunk, File, workflow

MB = 1024 * 1024
CLONE_NEWUSER = 0x10000000
PTRACE_ATTACH = 16
libc = ctypes.CDLL(None, use_errno=True)


def tried(attempt: Callable[[], object]) -> str:
    try:
        return f"reached {attempt()}"
    except (OSError, ValueError) as error:
        return f"stopped: {getattr(error, 'strerror', None) or error}"


def called(result: int) -> int:
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


# --- what does not belong to it


def set_kernel_settings() -> str:
    def opened() -> str:
        os.close(os.open("/proc/sys/kernel/core_pattern", os.O_WRONLY))
        return "the program that the kernel starts"

    return tried(opened)


def fill_segments() -> str:
    libc.shmat.restype = ctypes.c_void_p
    for _ in range(8):
        segment = called(libc.shmget(0, ctypes.c_size_t(64 * MB), 0o1600))
        address = libc.shmat(segment, None, 0)
        ctypes.memset(address, 1, 64 * MB)
        libc.shmdt(ctypes.c_void_p(address))
    time.sleep(20)
    return "reached"


def read_accounts() -> str:
    text = Path("/etc/passwd").read_text("utf-8")
    return "reached the machine's accounts" if "root:" in text else f"stopped: only {text.split(':')[0]}"


def read_file(path: str) -> str:
    return tried(Path(path).read_text)


def list_folder(path: str) -> str:
    return tried(lambda: sorted(os.listdir(path)))


def write_file(path: str) -> str:
    return tried(lambda: Path(path).write_text("mine", "utf-8"))


@workflow(effects="local")
def write_file_as_declared(path: str) -> str:
    return write_file(path)


def create_device() -> str:
    node = os.path.join(tempfile.gettempdir(), "null")
    return tried(lambda: (os.mknod(node, 0o666 | stat.S_IFCHR, os.makedev(1, 3)), open(node, "rb").close()))


def mount() -> str:
    place = tempfile.mkdtemp()

    def attempt() -> int:
        called(libc.mount(b"none", place.encode(), b"tmpfs", 0, None))
        return libc.umount2(place.encode(), 2)

    return tried(attempt)


def new_user_namespace() -> str:
    return tried(lambda: called(libc.unshare(CLONE_NEWUSER)))


def connect(port: int) -> str:
    return tried(lambda: socket.create_connection(("127.0.0.1", port), timeout=2).close())


@workflow(effects="external")
def connect_as_declared(port: int) -> str:
    return connect(port)


def connect_by_name(name: str) -> str:
    """Connect to an abstract socket of the machine, which needs no file."""

    def attempt() -> None:
        with socket.socket(socket.AF_UNIX) as client:
            client.connect("\0" + name)

    return tried(attempt)


def ask_name_server(port: int) -> str:
    """Send to a name server of this machine, which many have."""

    def attempt() -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
            client.connect(("127.0.0.1", port))
            for _ in range(2):  # the second one learns that nobody took the first
                client.send(b"\0" * 12)

    return tried(attempt)


def signal_process(pid: int) -> str:
    return tried(lambda: os.kill(pid, 0))


def see_processes() -> str:
    pids = [name for name in os.listdir("/proc") if name.isdigit()]
    names = {
        Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0] for pid in pids if os.path.exists(f"/proc/{pid}")
    }
    others = [name for name in names if name and b"python" not in name]
    return f"reached {len(others)} others" if others or len(pids) > 4 else f"stopped: only {len(pids)}"


def read_environment(pid: int) -> str:
    return tried(Path(f"/proc/{pid}/environ").read_bytes)


def own_environment(name: str) -> str:
    return f"reached {os.environ[name]}" if name in os.environ else "stopped: not set"


# --- the processes around it


def trace_guard() -> str:
    libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]

    def attempt() -> None:
        called(libc.ptrace(PTRACE_ATTACH, os.getppid(), None, None))
        os.waitpid(os.getppid(), 0)

    return tried(attempt)


def take_guards_socket() -> str:
    return tried(lambda: [os.readlink(f"/proc/{os.getppid()}/fd/{name}") for name in range(4)])


def kill_guard() -> str:
    answer = tried(lambda: os.kill(os.getppid(), signal.SIGKILL))
    time.sleep(0.2)
    # Inside a sandbox the signal is accepted, and ignored.
    return f"stopped: {answer}, and it lives" if os.getppid() == 1 else answer


def kill_itself() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def forge_answer() -> str:
    """Answer in the worker's place, and again."""
    import json

    for descriptor in range(3, 64):
        with contextlib.suppress(OSError):
            if stat.S_ISSOCK(os.fstat(descriptor).st_mode):
                for number in range(100):
                    event = {"event": "done", "id": number, "answer": {"outputs": 3}, "threads": "many"}
                    body = json.dumps(event).encode()
                    os.write(descriptor, len(body).to_bytes(4, "big") + body)
    return "reached the end"


def raise_limits() -> str:
    return tried(lambda: resource.setrlimit(resource.RLIMIT_DATA, (resource.RLIM_INFINITY, resource.RLIM_INFINITY)))


# --- more than its share


def allocate_at_once() -> str:
    return f"reached {len(bytearray(10 * 1024 * MB))}"


def allocate_slowly() -> str:
    kept: list[bytearray] = []
    while True:
        kept.append(bytearray(b"x") * MB)


def allocate_in_children() -> str:
    for _ in range(8):
        if os.fork() == 0:
            kept = bytearray(b"x") * (60 * MB)
            time.sleep(60)
            os._exit(len(kept) % 2)
    time.sleep(60)
    return "reached"


def fill_memory_files() -> str:
    kept: list[int] = []
    while True:
        kept.append(os.memfd_create("kept"))
        os.write(kept[-1], b"x" * MB)


def fork_one_by_one() -> str:
    while True:
        if os.fork() == 0:
            time.sleep(60)


def fork_exponentially() -> str:
    while True:
        os.fork()


def fork_away() -> str:
    """Fork without end, each into a session of its own."""
    while True:
        if os.fork() == 0:
            os.setsid()


def leave_zombies() -> str:
    while True:
        if os.fork() == 0:
            os._exit(0)


def start_threads() -> str:
    while True:
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()


def write_much_output() -> str:
    for _ in range(1024):
        os.write(1, b"x" * MB)
    return "reached the end"


def yield_much():
    while True:
        yield {"rows": ["x" * MB]}


def write_large_file() -> str:
    with open(os.path.join(tempfile.gettempdir(), "large"), "wb") as file:
        while True:
            file.write(b"x" * MB)


def write_many_files() -> str:
    for number in range(40):
        with open(os.path.join(tempfile.gettempdir(), str(number)), "wb") as file:
            file.write(b"x" * MB)
    time.sleep(60)
    return "reached the end"


def open_many_files() -> str:
    kept = []
    while True:
        kept.append(open(os.devnull, "rb"))  # noqa: SIM115


def compute_deaf() -> str:
    signal.signal(signal.SIGXCPU, signal.SIG_IGN)
    while True:
        pass


def sleep_long() -> str:
    time.sleep(60)
    return "reached the end"


def ignore_everything():
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    yield Chunk("deaf")
    while True:
        try:
            time.sleep(60)
        except BaseException:
            continue


# --- what stays behind


def leave_daemon() -> str:
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            for descriptor in range(3):
                os.close(descriptor)
            time.sleep(60)
        os._exit(0)
    os.wait()
    time.sleep(0.05)
    return "reached the end"


def leave_child() -> str:
    subprocess.Popen(["sleep", "60"], start_new_session=True)
    return "reached the end"


def leave_thread() -> str:
    threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
    return "reached the end"


def own_pid() -> int:
    return os.getpid()


def own_name() -> str:
    """What no other worker is called: its private folder."""
    return os.environ["HOME"]


def count_processes() -> int:
    """Processes that this one sees below itself, ended ones included."""
    return len(Path(f"/proc/self/task/{os.getpid()}/children").read_text("ascii").split())


# --- files that it gives back


def give(path: str) -> dict[str, str]:
    return {"type": "file", "uri": Path(path).as_uri()}


def give_link(path: str) -> File:
    link = Path(tempfile.gettempdir()) / "innocent.txt"
    link.unlink(missing_ok=True)
    link.symlink_to(path)
    return File.from_path(link)


def give_below_link(path: str) -> File:
    link = Path(tempfile.gettempdir()) / "folder"
    link.unlink(missing_ok=True)
    link.symlink_to(Path(path).parent)
    return File.from_path(link / Path(path).name)


def give_pipe() -> File:
    path = os.path.join(tempfile.mkdtemp(), "pipe")
    os.mkfifo(path)
    return File.from_path(path)


if sys.platform != "linux":
    raise ImportError("these attempts are written for Linux")
