"""What each side owes the specification (MCP 2026-07-28), row by row, and what is wrong with our account of it.

requirements.json  the rows of the server (S-), the host (H-) and the authorization server (A-): id, level, group, section of the
                   specification, a line in our words.
rows/*.json        one file a part of a side, of any name. An entry is either a proof
                       {"row", "file", "test", "target", "mutation": {"file", "from", "to"}, "section"?, "note"?}
                   or a reason why the row is not ours
                       {"row", "does_not_apply", "section"?, "note"?}
                   `test` is a GoogleTest name Suite.Case of the program `target`. With `from` replaced by `to`, that test fails
                   (mutate.py plays it). A row may have several proofs.
"""
import json
import pathlib
import re

LEVELS = ("MUST", "SHOULD", "MAY", "must*")
ROLES = {"S": ("server", 175), "H": ("host", 205), "A": ("authorization server", 16)}  # letter -> name, number of rows
PROOF_KEYS = {"row", "file", "test", "target", "mutation", "section", "note"}
REASON_KEYS = {"row", "does_not_apply", "section", "note"}
FOLDER = "tests/conformance"
# Where the code is that the rows are about.
PRODUCT = ("bridge/", "host/", "issuer/", "pins/", "services/", "wire/")


class Account:
    """The requirements and the entries of one source tree. Files that cannot be read are faults, not exceptions."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.broken = []
        self.requirements = self._list(self.root / FOLDER / "requirements.json")
        self.entries = []  # each with "part": the name of its file
        for path in sorted((self.root / FOLDER / "rows").glob("*.json")):
            for entry in self._list(path):
                self.entries.append({**entry, "part": path.stem})

    def _list(self, path):
        try:
            value = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            self.broken.append(f"{path.name}: {error}")
            return []
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            self.broken.append(f"{path.name}: is no array of objects")
            return []
        return value

    def proofs(self):
        return [entry for entry in self.entries if "mutation" in entry]

    def of_row(self, row):
        return [entry for entry in self.entries if entry.get("row") == row]


def is_whole(entry):
    """True for a proof that can be played."""
    mutation = entry.get("mutation")
    return PROOF_KEYS - {"section", "note"} <= set(entry) and isinstance(mutation, dict) and set(mutation) == {"file", "from", "to"}


def role_of(row):
    return row.split("-")[0]


def place_of(row):
    """What rows are sorted by."""
    role, _, number = row.partition("-")
    return role, int(number)


def ids_of(role):
    return [f"{role}-{number}" for number in range(1, ROLES[role][1] + 1)]


def squeezed(text):
    return re.sub(r"\s+", " ", text).strip()


class Tests:
    """Which GoogleTest cases stand in the sources, and which program each belongs to."""

    CASE = re.compile(r"\bTEST(?:_F|_P)?\(\s*(\w+)\s*,\s*(\w+)\s*\)")
    PROGRAM = re.compile(r"\bpostern_test\(\s*([\w.]+)([^)]*)\)")
    SOURCE = re.compile(r"(?<![\w/])\w+\.cc\b")

    def __init__(self, root):
        self.programs = {}  # "Suite.Case" -> names of programs
        for lists in (pathlib.Path(root) / "tests").rglob("CMakeLists.txt"):
            for program, arguments in self.PROGRAM.findall(lists.read_text(encoding="utf-8")):
                for source in self.SOURCE.findall(arguments):
                    self._read(lists.parent / source, program)

    def _read(self, source, program):
        if source.is_file():
            for suite, case in self.CASE.findall(source.read_text(encoding="utf-8")):
                self.programs.setdefault(f"{suite}.{case}", set()).add(program)


def _shape_faults(entry, where, known):
    if entry.get("row") not in known:
        return [f"{where}: there is no such row"]
    keys = set(entry) - {"part"}
    if "does_not_apply" in entry:
        extra = keys - REASON_KEYS
        empty = not isinstance(entry["does_not_apply"], str) or len(entry["does_not_apply"].split()) < 3
        return ([f"{where}: {', '.join(sorted(extra))} has no place beside does_not_apply"] if extra else []) + (
            [f"{where}: does_not_apply is no reason"] if empty else [])
    faults = [f"{where}: unknown member {key}" for key in sorted(keys - PROOF_KEYS)]
    missing = {"file", "test", "target", "mutation"} - keys
    faults += [f"{where}: has no {key}" for key in sorted(missing)]
    mutation = entry.get("mutation")
    if "mutation" in keys:
        if not isinstance(mutation, dict) or set(mutation) != {"file", "from", "to"}:
            faults.append(f"{where}: mutation must have file, from and to")
    return faults


def _proof_faults(root, entry, where, tests):
    faults = []
    if not entry["file"].startswith((*PRODUCT, "docs/")):
        faults.append(f"{where}: {entry['file']} is not where a row is met")
    elif not (root / entry["file"]).is_file():
        faults.append(f"{where}: {entry['file']} is not there")
    programs = tests.programs.get(entry["test"])
    if programs is None:
        faults.append(f"{where}: there is no test {entry['test']}")
    elif entry["target"] not in programs:
        faults.append(f"{where}: {entry['test']} is not in {entry['target']}, but in {', '.join(sorted(programs))}")
    mutation = entry["mutation"]
    source = root / mutation["file"]
    if not mutation["file"].startswith(PRODUCT):
        faults.append(f"{where}: {mutation['file']} is no product code")
    elif not source.is_file():
        faults.append(f"{where}: {mutation['file']} is not there")
    else:
        found = source.read_text(encoding="utf-8").count(mutation["from"]) if mutation["from"] else 0
        if found != 1:
            faults.append(f"{where}: \"from\" stands {found} times in {mutation['file']}: {squeezed(mutation['from'])[:90]}")
    if mutation["from"] == mutation["to"]:
        faults.append(f"{where}: the mutation changes nothing")
    return faults


def _completeness_faults(account, known):
    faults = []
    ids = [str(requirement.get("row")) for requirement in account.requirements]
    for role in ROLES:
        wanted = ids_of(role)
        if [row for row in ids if role_of(row) == role] != wanted:
            faults.append(f"requirements.json: the rows are not {wanted[0]} to {wanted[-1]}, each once and in order")
    for row in ids:
        if role_of(row) not in ROLES:
            faults.append(f"requirements.json: {row} is of no role of {', '.join(ROLES)}")
    for requirement in account.requirements:
        row = requirement.get("row")
        if requirement.get("level") not in LEVELS:
            faults.append(f"requirements.json: {row} has no level of {', '.join(LEVELS)}")
        for key in ("group", "section", "line"):
            if not requirement.get(key):
                faults.append(f"requirements.json: {row} has no {key}")
    answered = {entry.get("row") for entry in account.entries}
    for row, requirement in known.items():
        if requirement.get("level") != "MAY" and row not in answered:
            faults.append(f"{row}: no proof and no reason ({requirement.get('line')})")
    return faults


def _duplicate_faults(account, known):
    faults = []
    for row in known:
        entries = account.of_row(row)
        reasons = [entry for entry in entries if "does_not_apply" in entry]
        if len(reasons) > 1 or (reasons and len(entries) > len(reasons)):
            faults.append(f"{row}: does_not_apply stands beside another entry ({', '.join(e['part'] for e in entries)})")
        seen = {}
        for entry in entries:
            mutation = entry.get("mutation")
            if not isinstance(mutation, dict):
                continue
            key = (entry.get("test"), mutation.get("file"), mutation.get("from"), mutation.get("to"))
            if key in seen:
                faults.append(f"{row}: the same proof twice, in {seen[key]} and {entry['part']}")
            seen[key] = entry["part"]
    return faults


def faults_of(root, complete=True):
    """What is wrong, one line a fault; empty when all is well. Without `complete`, rows may be missing."""
    account = Account(root)
    known = {requirement.get("row"): requirement for requirement in account.requirements}
    tests = Tests(root)
    faults = list(account.broken)
    if complete:
        faults += _completeness_faults(account, known)
    for entry in account.entries:
        where = f"{entry['part']}.json {entry.get('row')}"
        shape = _shape_faults(entry, where, known)
        faults += shape
        if not shape and "mutation" in entry:
            faults += _proof_faults(account.root, entry, where, tests)
    return faults + _duplicate_faults(account, known)
