"""Style sheets and modules as one file each."""

import shutil
import subprocess

import pytest

from dashboard.installation.home import PROJECT
from dashboard.pages.bundles import BUNDLES, NotBundled, bundled

MODULES = {
    "js/one.js": 'import "./side.js";\nimport { a as b, c } from "./parts/two.js";\nconsole.log(b, c());\n',
    "js/side.js": 'globalThis.order = ["side"];\n',
    "js/parts/two.js": (
        'import {\n  three,\n} from "./three.js";\nglobalThis.order.push("two");\n'
        "export const a = three * 2;\nexport function c() {\n  return `${order} ${three}`;\n}\n"
    ),
    "js/parts/three.js": 'await Promise.resolve();\nexport const three = 3;\nif (0) import("../later.js");\n',
}


def test_modules_run_in_order_as_one_file(tmp_path):
    text = bundled("js/one.js", MODULES.__getitem__)
    assert 'import("./later.js")' in text, "beside the bundle, not beside the module that names it"
    if not shutil.which("node"):
        pytest.skip("node is not installed")
    file = tmp_path / "one.mjs"
    file.write_text(text)
    done = subprocess.run(["node", str(file)], capture_output=True, text=True, check=True)
    assert done.stdout == "6 side,two 3\n"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("export default 3;\n", "js/x.js: export default 3"),
        ('export { a } from "./y.js";\n', "js/x.js: export"),
        ("import * as all from './y.js';\n", "js/x.js: import"),
        ('import "./x.js";\n', "imports itself"),
    ],
)
def test_a_script_that_cannot_be_bundled_is_named(text, says):
    with pytest.raises(NotBundled, match=says):
        bundled("js/x.js", {"js/x.js": text}.__getitem__)


def test_a_style_sheet_holds_what_it_imports_in_order():
    sheets = {
        "css/all.css": '@import url("a.css");\n@import url("b.css");\n',
        "css/a.css": "a {}\n",
        "css/b.css": "b {}\n",
    }
    assert bundled("css/all.css", sheets.__getitem__) == "a {}\nb {}\n"


@pytest.mark.parametrize("name", BUNDLES)
def test_our_own_are_whole(name):
    text = bundled(name, lambda one: (PROJECT / "static" / one).read_text())
    assert "@import" not in text and ' from "' not in text
    assert len(text) > 9000


def test_every_style_sheet_is_in_the_one_for_pages():
    listed = (PROJECT / "static/css/all.css").read_text()
    left = {file.name for file in (PROJECT / "static/css").glob("*.css") if file.name not in listed}
    assert left == {"all.css", "embed.css"}
