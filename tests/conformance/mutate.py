#!/usr/bin/env python3
"""Plays the mutations of tests/conformance/rows again: with each of them the test of its row must fail.

Works on a copy of HEAD (or of the working tree, with --dirty) in a folder of its own; the tree itself is never written to. Builds
without optimisation, one job at a time unless --jobs says more, and only the test programs that the chosen rows name.

  mutate.py --all                    every mutation
  mutate.py --random 20 [--seed 7]   twenty of them; the seed is printed
  mutate.py --row S-56               those of a row (may be repeated)
  mutate.py --file services/mcp      those in a file or folder (may be repeated)
  mutate.py --part transport         those of rows/transport.json (may be repeated)
  mutate.py --target unit.mcp        those whose test is in that program (may be repeated)
  mutate.py --render                 writes docs/conformance.md (the same as render.py)

Exit status: 0 when every mutation was killed, 1 when one was not, 2 when nothing could be played.
"""
import argparse
import contextlib
import io
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time

sys.dont_write_bytecode = True  # nothing is written beside the sources
import render  # noqa: E402
import rows  # noqa: E402

CONFIGURE_SECONDS = 180
BASE_BUILD_SECONDS = 3600
BUILD_SECONDS = 900
TEST_SECONDS = 90
# A mutation may leave a name unused; that is not what it is about.
DEBUG_FLAGS = "-O0 " + " ".join(f"-Wno-error=unused-{what}" for what in ("parameter", "variable", "function", "but-set-variable", "result"))
DEBUG = ("-DCMAKE_BUILD_TYPE=Debug", f"-DCMAKE_CXX_FLAGS_DEBUG={DEBUG_FLAGS}")
RELEASE = ("-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_FLAGS_RELEASE=-O2")
BUILD = "build-mutate"  # in the copied tree, where build folders are, so that a compiler cache knows the paths
ROOT = pathlib.Path(__file__).resolve().parents[2]


class Unplayable(Exception):
    """Nothing can be said about any mutation; the text says why."""


def run(command, seconds, cwd=None, env=None):
    """(exit status, output); the status is None when the time was over. The whole process group ends with it."""
    process = subprocess.Popen(command, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               start_new_session=True)
    try:
        output, _ = process.communicate(timeout=seconds)
        return process.returncode, output.decode("utf-8", "replace")
    except BaseException as error:
        os.killpg(process.pid, signal.SIGTERM)  # ninja ends the compilers, which are in groups of their own
        try:
            output, _ = process.communicate(timeout=10)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, _ = process.communicate()
        if isinstance(error, subprocess.TimeoutExpired):
            return None, output.decode("utf-8", "replace")
        raise


class Copy:
    """The copied tree. A file whose text is the same keeps its time, so that a kept folder builds only what changed."""

    def __init__(self, folder, dirty):
        self.tree = folder / "tree"
        self.tree.mkdir(parents=True, exist_ok=True)
        shared, link = ROOT.parent / "shared", folder / "shared"  # cases beside the project, which some tests read
        if shared.is_dir() and not link.is_symlink():
            link.symlink_to(shared)
        wanted = self._working_tree() if dirty else self._head()
        for name, (mode, data) in wanted.items():
            self._put(name, mode, data)
        for folder_name, _, names in os.walk(self.tree):
            relative = pathlib.Path(folder_name).relative_to(self.tree)
            if relative.parts[:1] == (BUILD,):
                continue
            for name in names:
                if str(relative / name) not in wanted:
                    (self.tree / relative / name).unlink()

    @staticmethod
    def _head():
        status = subprocess.run(["git", "-C", str(ROOT), "archive", "HEAD"], stdout=subprocess.PIPE, check=True)
        files = {}
        with tarfile.open(fileobj=io.BytesIO(status.stdout)) as archive:
            for member in archive:
                if member.isfile():
                    files[member.name] = (member.mode, archive.extractfile(member).read())
        return files

    @staticmethod
    def _working_tree():
        listed = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-z", "-co", "--exclude-standard"], stdout=subprocess.PIPE, check=True)
        files = {}
        for name in filter(None, listed.stdout.decode().split("\0")):
            path = ROOT / name
            if path.is_file():
                files[name] = (path.stat().st_mode & 0o777, path.read_bytes())
        return files

    def _put(self, name, mode, data):
        path = self.tree / name
        if not path.is_file() or path.read_bytes() != data:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        path.chmod(mode | 0o600)

    def change(self, mutation):
        """Returns what puts the file back. Its time moves on, unless it is put back as it was."""
        path = self.tree / mutation["file"]
        before = path.read_text(encoding="utf-8")
        times = path.stat()
        if before.count(mutation["from"]) != 1:
            raise ValueError(f"\"from\" stands {before.count(mutation['from'])} times in {mutation['file']}")
        path.write_text(before.replace(mutation["from"], mutation["to"]), encoding="utf-8")

        def restore(as_it_was):
            path.write_text(before, encoding="utf-8")
            if as_it_was:
                os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))

        return restore


def includes_of(text):
    """The includes on top of a source; nothing when anything else stands between them."""
    lines = text.splitlines()
    last = max((number for number, line in enumerate(lines) if line.startswith("#include")), default=-1)
    if any(line and not line.startswith(("#include", "//")) for line in lines[:last + 1]):
        return []
    return [line for line in lines[:last + 1] if line.startswith("#include")]


class Builder:
    def __init__(self, tree, jobs, release):
        self.tree = tree
        self.folder = tree / BUILD
        self.sources = set()  # those that are going to be changed
        self.headers = {}  # flags of a compilation -> the header that stands for the includes of its folder's sources, or None
        self.jobs = str(jobs)
        self.env = dict(os.environ, CCACHE_BASEDIR=str(tree), CCACHE_NOHASHDIR="1")
        self.nice = ["nice", "-n", "10"] if shutil.which("nice") else []
        command = ["cmake", "-S", str(tree), "-B", str(self.folder), "-G", "Ninja",
                   *(RELEASE if release else DEBUG), f"-DCMAKE_RUNTIME_OUTPUT_DIRECTORY={self.folder}/bin"]
        if shutil.which("ld.lld"):
            command.append("-DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld")
        if shutil.which("ccache"):
            command.append("-DCMAKE_CXX_COMPILER_LAUNCHER=ccache")
        status, output = run(command, CONFIGURE_SECONDS)
        if status != 0:
            raise Unplayable("cmake could not configure the copy:\n" + output[-3000:])

    def build(self, targets, seconds):
        return run([*self.nice, "ninja", "-C", str(self.folder), "-j", self.jobs, *targets], seconds, env=self.env)

    def steps_of(self, target, source):
        """What builds the program from that one source file: (command, output), the compiler first. None when it is not known, as for a
        header."""
        if not source.endswith(".cc"):
            return None
        status, output = run(["ninja", "-C", str(self.folder), "-t", "commands", target], CONFIGURE_SECONDS)
        steps, made = [], set()
        for command in output.splitlines() if status == 0 else []:
            words = set(command.split())
            compiles = " -c " in command and command.endswith("/" + source)
            result = re.search(r" -o (\S+)|/ar qc (\S+)", command)
            if result and (compiles or made & words):
                made.add(result[1] or result[2])
                steps.append((self.quick(command, source) if compiles else command, result[1] or result[2]))
        return steps or None

    def quick(self, command, source):
        """The compilation without optimisation, and with the includes compiled beforehand: they are most of the work, and all mutations
        of a folder have them in common."""
        command = re.sub(r"^\S*ccache ", "", command) + " -O0 -Wno-error"
        flags = re.sub(r" -MD -MT \S+ -MF \S+| -o \S+| -c \S+", "", command)
        if flags not in self.headers:
            self.headers[flags] = self.compiled_includes(flags, os.path.dirname(source))
        header = self.headers[flags]
        # Should they be in each other's way, the plain compilation has the last word.
        return f"{command} -include {header} || {command}" if header else command

    def compiled_includes(self, flags, folder):
        includes = dict.fromkeys(line for source in self.sources if os.path.dirname(source) == folder
                                 for line in includes_of((self.tree / source).read_text(encoding="utf-8")))
        if not includes:
            return None
        header = self.folder / "includes" / f"{len(self.headers)}.h"
        header.parent.mkdir(exist_ok=True)
        header.write_text("\n".join(includes) + "\n", encoding="utf-8")
        status, _ = run([*self.nice, "sh", "-c", f"{flags} -x c++-header -c {header} -o {header}.gch"], BUILD_SECONDS, cwd=self.folder)
        return header if status == 0 else None

    @contextlib.contextmanager
    def kept(self, steps):
        """Puts what the steps write back, with its time: to ninja nothing has happened, and nothing has to be built again."""
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            copies = [(self.folder / output, pathlib.Path(folder) / str(index)) for index, (_, output) in enumerate(steps)]
            for output, copy in copies:
                shutil.copy2(output, copy)
            try:
                yield
            finally:
                for output, copy in copies:
                    os.replace(copy, output)

    def carry_out(self, steps):
        """(exit status, output) of the first step that fails, or of the last."""
        status, output = 0, ""
        for command, _ in steps:
            status, output = run([*self.nice, "sh", "-c", command], BUILD_SECONDS, cwd=self.folder, env=self.env)
            if status != 0:
                break
        return status, output

    def test(self, target, test):
        """"passed", "failed", "over time", or what else happened."""
        program = self.folder / "tests" / target
        status, output = run([str(program), f"--gtest_filter={test}:*/{test}/*", "--gtest_brief=0"], TEST_SECONDS, cwd=self.folder, env=self.env)
        if status is None:
            return "over time"
        if "[  SKIPPED ]" in output:
            return "skipped"
        if status == 0:
            return "passed" if "[       OK ]" in output else "ran nothing"
        return "failed"


def chosen_of(account, options):
    proofs = [entry for entry in account.proofs() if rows.is_whole(entry)]
    if options.row:
        proofs = [entry for entry in proofs if entry["row"] in options.row]
    if options.file:
        proofs = [entry for entry in proofs if any(entry["mutation"]["file"].startswith(name) for name in options.file)]
    if options.part:
        proofs = [entry for entry in proofs if entry["part"] in options.part]
    if options.target:
        proofs = [entry for entry in proofs if entry["target"] in options.target]
    if options.random is not None:
        seed = options.seed if options.seed is not None else random.SystemRandom().randrange(10**6)
        print(f"seed {seed}")
        proofs = random.Random(seed).sample(proofs, min(options.random, len(proofs)))
    # A header after the other: one build a mutation instead of two.
    return sorted(proofs, key=lambda entry: (entry["mutation"]["file"], entry["target"], rows.place_of(entry["row"])))


def verdict_of(builder, entry, status, output):
    if status != 0:
        errors = [line for line in output.splitlines() if "error:" in line] or output.splitlines()[-3:]
        return "did not compile", "\n    ".join(errors[:3])
    verdict = builder.test(entry["target"], entry["test"])
    return {"passed": ("SURVIVED", ""), "failed": ("killed", ""), "over time": ("killed", "it ran out of time")}.get(
        verdict, ("not run", f"the test {verdict}"))


def outcome_of(copy, builder, entry):
    steps = builder.steps_of(entry["target"], entry["mutation"]["file"])
    try:
        restore = copy.change(entry["mutation"])
    except (OSError, ValueError) as error:
        return "not applied", str(error)
    try:
        if steps is None:
            return verdict_of(builder, entry, *builder.build([entry["target"]], BUILD_SECONDS))
        with builder.kept(steps):
            return verdict_of(builder, entry, *builder.carry_out(steps))
    finally:
        restore(steps is not None)


def check_base(builder, proofs):
    """The rows whose test does not pass on the code as it stands."""
    targets = sorted({entry["target"] for entry in proofs})
    status, output = builder.build(targets, BASE_BUILD_SECONDS)
    if status != 0:
        raise Unplayable("the code as it stands does not build:\n" + output[-3000:])
    verdicts = {}
    for entry in proofs:
        key = (entry["target"], entry["test"])
        if key not in verdicts:
            verdicts[key] = builder.test(*key)
    return verdicts


def play(folder, options):
    copy = Copy(folder, options.dirty)
    faults = rows.faults_of(copy.tree, complete=False)
    for fault in faults:  # what the test of the rows says too; the other rows are played all the same
        print(fault)
    proofs = chosen_of(rows.Account(copy.tree), options)
    if not proofs:
        raise Unplayable("no mutation was chosen")
    started = time.monotonic()
    builder = Builder(copy.tree, options.jobs, options.release)
    builder.sources = {entry["mutation"]["file"] for entry in proofs if entry["mutation"]["file"].endswith(".cc")}
    base = check_base(builder, proofs)
    print(f"{len(proofs)} mutations; the base took {time.monotonic() - started:.0f} s", flush=True)
    counts = {}
    for index, entry in enumerate(proofs, 1):
        if time.monotonic() - started > options.minutes * 60:
            counts["not tried"] = len(proofs) - index + 1
            print(f"{counts['not tried']} were not tried: {options.minutes} minutes are over")
            break
        verdict = base[(entry["target"], entry["test"])]
        if verdict == "passed":
            outcome, reason = outcome_of(copy, builder, entry)
        else:
            outcome, reason = "not run", f"without the mutation the test {verdict}"
        counts[outcome] = counts.get(outcome, 0) + 1
        place = f"{entry['row']} {entry['mutation']['file']} {entry['target']} {entry['test']}"
        print(f"[{index}/{len(proofs)}] {outcome}: {place}" + (f"\n    {reason}" if reason else ""), flush=True)
    print(", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items())) + f"; {time.monotonic() - started:.0f} s")
    return 0 if set(counts) == {"killed"} and not faults else 1


def parsed(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--random", type=int, metavar="N")
    parser.add_argument("--seed", type=int)
    parser.add_argument("--row", action="append", metavar="ROW")
    parser.add_argument("--file", action="append", metavar="PATH")
    parser.add_argument("--part", action="append", metavar="NAME")
    parser.add_argument("--target", action="append", metavar="NAME")
    parser.add_argument("--render", action="store_true")
    parser.add_argument("--dirty", action="store_true", help="the working tree instead of HEAD")
    parser.add_argument("--scratch", type=pathlib.Path, metavar="FOLDER", help="keep the copy and its build here for the next run")
    parser.add_argument("--release", action="store_true", help="the flags of ./dev build, for a compiler cache that has seen them")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--minutes", type=int, default=120, help="start no further mutation after that")
    options = parser.parse_args(arguments)
    if not (options.all or options.random is not None or options.row or options.file or options.part or options.target or options.render):
        parser.error("say which: --all, --random N, --row, --file, --part, --target or --render")
    if options.scratch is not None and options.scratch.resolve().is_relative_to(ROOT):
        parser.error("the folder of --scratch must lie outside of the tree")
    return options


def main(arguments):
    options = parsed(arguments)
    if options.render:
        return render.main([])
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(2))
    kept = options.scratch
    folder = kept.resolve() if kept else pathlib.Path(tempfile.mkdtemp(prefix="postern-mutate-"))
    try:
        return play(folder, options)
    except Unplayable as error:
        print(error)
        return 2
    except KeyboardInterrupt:
        return 2
    finally:
        if not kept:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
