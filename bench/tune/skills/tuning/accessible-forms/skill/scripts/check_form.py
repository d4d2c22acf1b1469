#!/usr/bin/env python3
"""Report the mechanical accessibility faults of the forms in one HTML file.

Usage: check_form.py FILE
Prints one JSON object per finding. Exit code: 0 nothing found, 1 findings, 2 file not readable.
"""

import json
import sys
from html.parser import HTMLParser

CONTROLS = {"input", "select", "textarea"}
UNLABELLED_TYPES = {"hidden", "submit", "reset", "button", "image"}
PERSONAL = {"email", "tel", "name", "fname", "lname", "zip", "street", "city"}


class FormParser(HTMLParser):
    """Collect labels and controls; judge when the document has ended."""

    def __init__(self):
        super().__init__()
        self.label_targets = set()
        self.open_labels = 0
        self.fieldsets = 0
        self.controls = []
        self.findings = []

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        line = self.getpos()[0]
        if tag == "label":
            self.open_labels += 1
            self.label_targets.add(attributes.get("for"))
        elif tag == "fieldset":
            self.fieldsets += 1
        elif tag in CONTROLS and attributes.get("type") not in UNLABELLED_TYPES:
            self.controls.append((line, tag, attributes, self.open_labels > 0, self.fieldsets > 0))
        tabindex = (attributes.get("tabindex") or "0").strip()
        if tabindex.isdecimal() and int(tabindex) > 0:
            self.report(line, "tabindex-positive", tag, attributes)
        if tag in {"div", "span"} and "onclick" in attributes and attributes.get("role") != "presentation":
            self.report(line, "fake-button", tag, attributes)

    def handle_endtag(self, tag):
        if tag == "label":
            self.open_labels = max(0, self.open_labels - 1)
        elif tag == "fieldset":
            self.fieldsets = max(0, self.fieldsets - 1)

    def report(self, line, rule, tag, attributes):
        self.findings.append({"line": line, "rule": rule, "element": tag, "id": attributes.get("id")})

    def judge(self):
        names = [attributes.get("name") for _, _, attributes, _, _ in self.controls]
        for line, tag, attributes, in_label, in_fieldset in self.controls:
            tied = in_label or attributes.get("id") in self.label_targets - {None}
            if not tied and not attributes.get("aria-label") and not attributes.get("aria-labelledby"):
                rule = "placeholder-only" if attributes.get("placeholder") else "label-missing"
                self.report(line, rule, tag, attributes)
            several = names.count(attributes.get("name")) > 1
            if attributes.get("type") in {"radio", "checkbox"} and several and not in_fieldset:
                self.report(line, "group-missing", tag, attributes)
            personal = attributes.get("name") in PERSONAL or attributes.get("type") in {"email", "tel"}
            if personal and "autocomplete" not in attributes:
                self.report(line, "autocomplete-missing", tag, attributes)


def main(path):
    try:
        with open(path, encoding="utf-8") as page:
            markup = page.read()
    except (OSError, UnicodeDecodeError) as error:
        print(f"{path}: {error}", file=sys.stderr)
        return 2
    parser = FormParser()
    parser.feed(markup)
    parser.judge()
    for finding in sorted(parser.findings, key=lambda entry: entry["line"]):
        print(json.dumps(finding))
    return 1 if parser.findings else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    sys.exit(main(sys.argv[1]))
