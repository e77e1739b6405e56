#!/usr/bin/env python3
"""Proves that the check of the rows sees each kind of fault: every one is planted in a small tree that is otherwise whole."""
import contextlib
import io
import json
import pathlib
import re
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True  # nothing is written beside the sources
import mutate  # noqa: E402
import render  # noqa: E402
import rows  # noqa: E402


class Tree:
    """All rows, of which one has a proof and the others a reason; code, test and page belong to them."""

    def __init__(self, folder):
        self.root = pathlib.Path(folder)
        ids = [row for role in rows.ROLES for row in rows.ids_of(role)]
        self.requirements = [{"row": row, "level": "MUST", "group": "All", "section": "basic", "line": f"The rule {row}."} for row in ids]
        self.proof = {"row": "S-1", "file": "wire/code.cc", "test": "Code.Works", "target": "unit.code",
                      "mutation": {"file": "wire/code.cc", "from": "return 1;", "to": "return 2;"}}
        self.parts = {"one": [self.proof],
                      "rest": [{"row": row, "does_not_apply": "It is not here."} for row in ids if row != self.proof["row"]]}
        self.put("wire/code.cc", "int code() {\n  return 1;\n}\n")
        self.put("tests/unit/code/CMakeLists.txt", "postern_test(unit.code SOURCES code_test.cc)\n")
        self.put("tests/unit/code/code_test.cc", "TEST(Code, Works) {}\nTEST_F(Other,\n       Works) {}\n")
        self.put("tests/unit/else/CMakeLists.txt", "postern_test(unit.else SOURCES else_test.cc)\n")
        self.put("tests/unit/else/else_test.cc", "TEST(Else, Works) {}\n")
        (self.root / "docs").mkdir()
        (self.root / rows.FOLDER / "rows").mkdir(parents=True)
        self.write()
        (self.root / render.PAGE).write_text(render.page_of(self.root))

    def put(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def write(self):
        self.put(rows.FOLDER + "/requirements.json", json.dumps(self.requirements))
        for name, entries in self.parts.items():
            self.put(f"{rows.FOLDER}/rows/{name}.json", json.dumps(entries))

    def answer_of(self, row):
        return next(entry for entry in self.parts["rest"] if entry["row"] == row)

    def requirement_of(self, row):
        return next(requirement for requirement in self.requirements if requirement["row"] == row)

    def rendered(self):
        self.write()
        page = render.page_of(self.root)
        (self.root / render.PAGE).write_text(page)
        return page

    def check(self):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            status = render.main(["--check", "--root", str(self.root)])
        return status, out.getvalue()


class Check(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree = Tree(folder.name)

    def sees(self, words, written=True):
        if written:
            self.tree.write()
        status, text = self.tree.check()
        self.assertEqual(status, 1, text)
        self.assertIn(words, text)

    def test_finds_nothing_in_a_whole_tree(self):
        self.assertEqual(self.tree.check(), (0, ""))

    def test_sees_a_row_of_each_role_without_an_answer(self):
        for role in rows.ROLES:
            row = rows.ids_of(role)[-1]
            self.tree.parts["rest"].remove(self.tree.answer_of(row))
            self.sees(f"{row}: no proof and no reason (The rule {row}.)")

    def test_sees_a_should_row_without_an_answer(self):
        self.tree.parts["rest"].remove(self.tree.answer_of("H-205"))
        self.tree.requirement_of("H-205")["level"] = "SHOULD"
        self.sees("H-205: no proof and no reason")

    def test_lets_a_may_row_of_each_role_be(self):
        for role in rows.ROLES:
            row = rows.ids_of(role)[-1]
            self.tree.parts["rest"].remove(self.tree.answer_of(row))
            self.tree.requirement_of(row)["level"] = "MAY"
        self.tree.rendered()
        self.assertEqual(self.tree.check(), (0, ""))

    def test_takes_parts_of_any_name(self):
        self.tree.parts["z, of no such name"] = self.tree.parts.pop("rest")
        (self.tree.root / rows.FOLDER / "rows" / "rest.json").unlink()
        self.tree.write()
        self.assertEqual(self.tree.check(), (0, ""))

    def test_sees_a_requirement_of_each_role_that_is_missing_or_repeated_or_out_of_order(self):
        for role in rows.ROLES:
            words = f"the rows are not {role}-1 to {rows.ids_of(role)[-1]}, each once and in order"
            whole = list(self.tree.requirements)
            last = self.tree.requirement_of(rows.ids_of(role)[-1])
            self.tree.requirements.remove(last)
            self.sees(words)
            self.tree.requirements += [last, last]
            self.sees(words)
            self.tree.requirements = [last] + [requirement for requirement in whole if requirement is not last]
            self.sees(words)
            self.tree.requirements = whole
            self.tree.write()
            self.assertEqual(self.tree.check(), (0, ""))

    def test_sees_a_requirement_of_no_role(self):
        self.tree.requirements.append({**self.tree.requirements[0], "row": "X-1"})
        self.sees("requirements.json: X-1 is of no role of S, H, A")

    def test_sees_a_level_that_is_none(self):
        for row in ("S-5", "H-5", "A-5"):
            self.tree.requirement_of(row)["level"] = "OUGHT"
            self.sees(f"{row} has no level")

    def test_sees_a_requirement_without_group_section_or_line(self):
        for key in ("group", "section", "line"):
            self.tree.requirement_of("H-7")[key] = ""
            self.sees(f"requirements.json: H-7 has no {key}")

    def test_sees_a_row_that_is_none(self):
        for row in ("S-176", "H-206", "A-17", "H-0", "X-1"):
            self.tree.parts["more"] = [{"row": row, "does_not_apply": "It is not here."}]
            self.sees(f"{row}: there is no such row")

    def test_sees_a_reason_that_is_none(self):
        for row in ("S-2", "H-2", "A-2"):
            self.tree.answer_of(row)["does_not_apply"] = "n/a"
            self.sees(f"{row}: does_not_apply is no reason")

    def test_sees_a_reason_beside_a_proof(self):
        self.tree.parts["rest"].append({"row": "S-1", "does_not_apply": "It is not here."})
        self.sees("S-1: does_not_apply stands beside another entry")

    def test_sees_two_reasons(self):
        self.tree.parts["more"] = [{"row": "S-2", "does_not_apply": "It is not here either."}]
        self.sees("S-2: does_not_apply stands beside another entry")

    def test_sees_the_same_proof_twice(self):
        self.tree.parts["more"] = [self.tree.proof]
        self.sees("S-1: the same proof twice, in more and one")

    def test_sees_members_that_are_missing_or_unknown(self):
        for name in ("file", "test", "target", "mutation"):
            kept = self.tree.proof.pop(name)
            self.sees(f"S-1: has no {name}")
            self.tree.proof[name] = kept
        self.tree.proof["tests"] = "Code.Works"
        self.sees("S-1: unknown member tests")

    def test_sees_a_mutation_that_is_not_whole(self):
        del self.tree.proof["mutation"]["to"]
        self.sees("S-1: mutation must have file, from and to")

    def test_sees_a_file_that_is_gone(self):
        self.tree.proof["file"] = "wire/gone.cc"
        self.sees("S-1: wire/gone.cc is not there")
        self.tree.proof["mutation"]["file"] = "wire/away.cc"
        self.sees("S-1: wire/away.cc is not there")

    def test_sees_a_row_that_is_met_by_a_test(self):
        self.tree.proof["file"] = "tests/unit/code/code_test.cc"
        self.sees("S-1: tests/unit/code/code_test.cc is not where a row is met")

    def test_sees_a_test_that_is_gone_or_in_another_program(self):
        self.tree.proof["test"] = "Code.Sleeps"
        self.sees("S-1: there is no test Code.Sleeps")
        self.tree.proof["test"] = "Else.Works"
        self.sees("S-1: Else.Works is not in unit.code, but in unit.else")
        self.tree.put("tests/unit/code/CMakeLists.txt", "postern_test(unit.code SOURCES code_test.cc)\n"
                      "postern_test(unit.near\n  SOURCES near_test.cc)\n")
        self.tree.put("tests/unit/code/near_test.cc", "TEST(Near, Works) {}\n")
        self.tree.proof["test"] = "Near.Works"
        self.sees("S-1: Near.Works is not in unit.code, but in unit.near")

    def test_sees_a_test_that_no_program_is_built_from(self):
        self.tree.put("tests/unit/code/CMakeLists.txt", "postern_test(unit.code SOURCES other_code_test.cc)\n")
        self.sees("S-1: there is no test Code.Works")

    def test_finds_a_test_whose_name_is_on_two_lines(self):
        self.tree.proof["test"] = "Other.Works"
        self.tree.write()
        self.assertNotIn("there is no test", self.tree.check()[1])

    def test_sees_a_from_that_occurs_never_or_twice(self):
        self.tree.put("wire/code.cc", "int code() {\n  return 3;\n}\n")
        self.sees('"from" stands 0 times in wire/code.cc')
        self.tree.put("wire/code.cc", "int code() {\n  return 1;\n  return 1;\n}\n")
        self.sees('"from" stands 2 times in wire/code.cc')

    def test_sees_a_mutation_of_a_test(self):
        self.tree.proof["mutation"]["file"] = "tests/unit/code/code_test.cc"
        self.sees("is no product code")

    def test_sees_a_mutation_that_changes_nothing(self):
        self.tree.proof["mutation"]["to"] = "return 1;"
        self.sees("the mutation changes nothing")

    def test_sees_a_page_that_is_old_or_missing(self):
        page = self.tree.root / render.PAGE
        page.write_text(page.read_text() + "By hand.\n")
        self.sees("is not what the rows say")
        page.unlink()
        self.sees("is not what the rows say")

    def test_sees_files_that_are_no_rows(self):
        self.tree.put(rows.FOLDER + "/rows/bad.json", "[{]")
        self.sees("bad.json:", written=False)
        self.tree.put(rows.FOLDER + "/rows/bad.json", "{}")
        self.sees("bad.json: is no array of objects", written=False)


class Page(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree = Tree(folder.name)

    def test_has_a_part_for_each_role_with_its_rows_and_no_others(self):
        page = self.tree.rendered()
        parts = page.split("\n## ")[1:]
        self.assertEqual([part.split("\n")[0] for part in parts], ["Server", "Host", "Authorization server"])
        for role, part in zip(rows.ROLES, parts):
            found = [line.split()[1] for line in part.splitlines() if line.startswith(tuple(f"| {letter}-" for letter in rows.ROLES))]
            self.assertEqual(found, rows.ids_of(role))

    def test_counts_for_each_role_and_level(self):
        self.tree.requirement_of("H-2")["level"] = "SHOULD"
        self.tree.parts["more"] = [{**self.tree.proof, "row": "H-2"}]
        self.tree.parts["rest"].remove(self.tree.answer_of("H-2"))
        page = self.tree.rendered()
        self.assertIn("| [Server](#server) | MUST | 175 | 1 | 174 | 0 |", page)
        self.assertIn("| [Host](#host) | MUST | 204 | 0 | 204 | 0 |\n|  | SHOULD | 1 | 1 | 0 | 0 |", page)
        self.assertIn("| [Authorization server](#authorization-server) | MUST | 16 | 0 | 16 | 0 |", page)
        self.assertIn("2 mutations.", page)

    def test_leads_with_each_link_to_one_heading(self):
        self.tree.requirement_of("H-2")["group"] = "Cancellation, timeouts and _meta"
        page = self.tree.rendered()
        anchors = [render.anchor_of(line.lstrip("# ")) for line in page.splitlines() if line.startswith("#")]
        links = re.findall(r"\]\(#([^)]*)\)", page)
        self.assertIn("host-cancellation-timeouts-and-_meta", links)
        for link in links:
            self.assertEqual(anchors.count(link), 1, link)


class Copying(unittest.TestCase):
    """What the player does to its copy, and what it never does to the tree."""

    def test_replaces_once_and_restores(self):
        with tempfile.TemporaryDirectory() as folder:
            copy = mutate.Copy.__new__(mutate.Copy)
            copy.tree = pathlib.Path(folder)
            file = copy.tree / "code.cc"
            file.write_text("a = 1;\nb = 2;\n")
            restore = copy.change({"file": "code.cc", "from": "b = 2", "to": "b = 3"})
            self.assertEqual(file.read_text(), "a = 1;\nb = 3;\n")
            restore(False)
            self.assertEqual(file.read_text(), "a = 1;\nb = 2;\n")
            before = file.stat().st_mtime_ns
            copy.change({"file": "code.cc", "from": "b = 2", "to": "b = 3"})(True)
            self.assertEqual(file.stat().st_mtime_ns, before)
            with self.assertRaises(ValueError):
                copy.change({"file": "code.cc", "from": " = ", "to": "="})

    def test_ends_a_command_with_all_it_started(self):
        status, output = mutate.run(["sh", "-c", "echo begun; sleep 600 & sleep 600"], 1)
        self.assertIsNone(status)
        self.assertEqual(output, "begun\n")

    def test_refuses_to_work_inside_the_tree(self):
        with self.assertRaises(SystemExit), contextlib.redirect_stderr(io.StringIO()):
            mutate.parsed(["--all", "--scratch", str(mutate.ROOT / "build")])
        with self.assertRaises(SystemExit), contextlib.redirect_stderr(io.StringIO()):
            mutate.parsed([])


if __name__ == "__main__":
    unittest.main()
