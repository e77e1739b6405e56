#!/usr/bin/env python3
"""Writes docs/conformance.md from the rows; with --check says what is wrong and writes nothing."""
import argparse
import pathlib
import sys

sys.dont_write_bytecode = True  # nothing is written beside the sources
import rows  # noqa: E402

PAGE = "docs/conformance.md"
HEAD = """# Conformance

Each rule that MCP revision 2026-07-28 has for a server, for a host and for an authorization server, what meets it here, and how we know. A
proof is a test together with a change of the code under which that test was seen to fail; `./dev mutate` plays such changes again, so that
no row rests on a test that cannot fail. Levels are the specification's: MUST, SHOULD, MAY, and `must*` for what it says in lower case or in
the comments of its schema. Sections are pages of https://modelcontextprotocol.io/specification/2026-07-28.

This page is written by `tests/conformance/render.py` from `tests/conformance/requirements.json` and `tests/conformance/rows/`; a test
compares it with them, and them with the code. To find a row, search for its id and a blank: `H-12 `.
"""
# What each part of the page is about.
INTRODUCTIONS = {
    "S": "The MCP server core (`services/mcp`), its extensions, and the desk on it.",
    "H": "The program `postern`: `host`, `bridge`, and what they share with the servers in `wire`.",
    "A": "The training issuer (`issuer`).",
}


def cell(text):
    return rows.squeezed(text).replace("|", "\\|")


def code(text):
    """A code span in a table cell: backticks inside need a longer fence."""
    text = cell(text)
    fence = "``" if "`" in text else "`"
    pad = " " if "`" in text else ""
    return f"{fence}{pad}{text}{pad}{fence}" if text else "nothing"


def proof(entry):
    mutation = entry["mutation"]
    place = "" if mutation["file"] == entry["file"] else f"in `{mutation['file']}` "
    note = f" {cell(entry['note'])}" if entry.get("note") else ""
    return (f"`{entry['file']}`: `{entry['test']}` ({entry['target']}) fails when {place}"
            f"{code(mutation['from'])} becomes {code(mutation['to'])}.{note}")


def answer(entries, level):
    if not entries:
        return "Not taken up." if level == "MAY" else "MISSING"
    texts = []
    for entry in entries:
        if "does_not_apply" in entry:
            note = f" {cell(entry['note'])}" if entry.get("note") else ""
            texts.append(f"Does not apply: {cell(entry['does_not_apply'])}{note}")
        elif "mutation" in entry:
            texts.append(proof(entry))
    return "<br>".join(texts)


def title_of(role):
    name = rows.ROLES[role][0]
    return name[0].upper() + name[1:]


def heading_of(role, group):
    """Unlike any other heading of the page, so that a link finds it: roles have groups of the same name."""
    return f"{title_of(role)}: {group}"


def anchor_of(heading):
    return "".join(letter for letter in heading.lower().replace(" ", "-") if letter.isalnum() or letter in "-_")


def requirements_of(account, role):
    return [requirement for requirement in account.requirements if rows.role_of(requirement["row"]) == role]


def groups_of(account, role):
    return list(dict.fromkeys(requirement["group"] for requirement in requirements_of(account, role)))


def counts_of(account, requirements):
    """(rows, proved, with a reason, left)"""
    of_rows = [account.of_row(requirement["row"]) for requirement in requirements]
    proved = sum(any("mutation" in entry for entry in entries) for entries in of_rows)
    reasons = sum(any("does_not_apply" in entry for entry in entries) for entries in of_rows)
    return len(of_rows), proved, reasons, len(of_rows) - proved - reasons


def totals(account):
    lines = ["| part | level | rows | proved | does not apply | not taken up |", "|---|---|---|---|---|---|"]
    for role in rows.ROLES:
        title = f"[{title_of(role)}](#{anchor_of(title_of(role))})"
        for level in rows.LEVELS:
            of_level = [requirement for requirement in requirements_of(account, role) if requirement["level"] == level]
            if of_level:
                lines.append(f"| {title} | {level} | " + " | ".join(str(count) for count in counts_of(account, of_level)) + " |")
                title = ""
    return "\n".join(lines) + f"\n\n{len(account.proofs())} mutations.\n"


def table(account, role, group):
    lines = [f"### {heading_of(role, group)}", "", "| row | level | rule | what meets it, and the proof |", "|---|---|---|---|"]
    for requirement in requirements_of(account, role):
        if requirement["group"] == group:
            entries = account.of_row(requirement["row"])
            rule = f"{cell(requirement['line'])} ({cell(requirement['section'])})"
            lines.append(f"| {requirement['row']} | {requirement['level']} | {rule} | {answer(entries, requirement['level'])} |")
    return "\n".join(lines) + "\n"


def part_of(account, role):
    groups = groups_of(account, role)
    links = [f"[{group}](#{anchor_of(heading_of(role, group))})" for group in groups]
    head = f"## {title_of(role)}\n\n{INTRODUCTIONS[role]}\n\n{' · '.join(links)}\n"
    return [head] + [table(account, role, group) for group in groups]


def page_of(root):
    account = rows.Account(root)
    parts = [text for role in rows.ROLES for text in part_of(account, role)]
    return "\n".join([HEAD, totals(account)] + parts)


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when something is wrong")
    parser.add_argument("--root", default=pathlib.Path(__file__).resolve().parents[2], type=pathlib.Path, help="the source tree")
    options = parser.parse_args(arguments)
    faults = rows.faults_of(options.root)
    path = options.root / PAGE
    try:
        page = page_of(options.root)
    except (KeyError, TypeError, AttributeError):
        page = None  # an entry is not of the shape, and a fault says so
    if page is None:
        pass
    elif options.check:
        if not path.is_file() or path.read_text(encoding="utf-8") != page:
            faults.append(f"{PAGE} is not what the rows say: run tests/conformance/render.py")
    else:
        path.write_text(page, encoding="utf-8")
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
