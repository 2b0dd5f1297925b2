// Small broken projects. Each has files as the model finds them, what is asked, a command that repairs it (for the tests of this environment) and
// checks: shell commands that succeed in a repaired project. The checks are brought in after the model has stopped.

export interface Project {
  readonly id: string;
  readonly ask: string;
  readonly files: Readonly<Record<string, string>>;
  readonly checks: readonly string[];
  readonly repair: string;
}

export const projects: readonly Project[] = [
  {
    id: "sum-script",
    ask: "sum.sh should print the sum of the numbers in the file it is given, one per line. It prints something else.",
    files: {
      "sum.sh": '#!/bin/sh\ntotal=0\nwhile read -r n; do\n  total=$n\ndone < "$1"\necho "$total"\n',
      "numbers.txt": "3\n4\n5\n",
    },
    checks: ['[ "$(sh sum.sh numbers.txt)" = 12 ]', 'printf "10\\n-4\\n" > n.txt && [ "$(sh sum.sh n.txt)" = 6 ]'],
    repair: "sed -i 's/total=$n/total=$((total + n))/' sum.sh",
  },
  {
    id: "python-import",
    ask: "`python3 main.py` should greet every name in names.txt, one per line, like `Hello, Ada!`. It crashes.",
    files: {
      "main.py": 'from greet import greeting\n\nfor name in open("names.txt"):\n    print(greeting(name.strip()))\n',
      "greeting.py": 'def greeting(name)\n    return f"Hello, {name}!"\n',
      "names.txt": "Ada\nLin\n",
    },
    checks: [
      '[ "$(python3 main.py)" = "$(printf "Hello, Ada!\\nHello, Lin!")" ]',
      'echo Bo > names.txt && [ "$(python3 main.py)" = "Hello, Bo!" ]',
    ],
    repair:
      "sed -i 's/def greeting(name)$/def greeting(name):/' greeting.py && sed -i 's/from greet import/from greeting import/' main.py",
  },
  {
    id: "broken-json",
    ask: "config.json must be valid JSON, with the port 8080 as a number. Something in it is wrong.",
    files: { "config.json": '{\n  "host": "localhost",\n  "port": "8080",\n  "debug": False,\n}\n' },
    checks: [
      "python3 -c 'import json; json.load(open(\"config.json\"))'",
      'python3 -c \'import json; c = json.load(open("config.json")); assert c["port"] == 8080 and c["debug"] is False and c["host"] == "localhost"\'',
    ],
    repair: 'printf \'{"host": "localhost", "port": 8080, "debug": false}\' > config.json',
  },
  {
    id: "off-by-one",
    ask: "pages.py splits a list into pages. Its last page gets lost when it is not full. Repair `pages(items, size)`.",
    files: {
      "pages.py":
        "def pages(items, size):\n    return [items[i * size:(i + 1) * size] for i in range(len(items) // size)]\n",
    },
    checks: [
      "python3 -c 'from pages import pages; assert pages([1, 2, 3], 2) == [[1, 2], [3]]'",
      "python3 -c 'from pages import pages; assert pages([1], 4) == [[1]] and pages([1, 2, 3, 4], 2) == [[1, 2], [3, 4]] and pages([], 3) == []'",
    ],
    repair: "sed -i 's#range(len(items) // size)#range(-(-len(items) // size))#' pages.py",
  },
  {
    id: "log-report",
    ask: "report.sh should print how many lines of app.log contain ERROR, whatever the case, and nothing else. It prints the wrong number.",
    files: {
      "report.sh": "#!/bin/sh\ngrep ERROR app.log | wc -c\n",
      "app.log": "INFO start\nERROR disk\nerror net\nINFO end\n",
    },
    checks: [
      '[ "$(sh report.sh | tr -d " ")" = 2 ]',
      'printf "Error a\\nok\\n" > app.log && [ "$(sh report.sh | tr -d " ")" = 1 ]',
    ],
    repair: "printf '#!/bin/sh\\ngrep -ic error app.log\\n' > report.sh",
  },
  {
    id: "date-names",
    ask: "Rename the files in photos/ from DD-MM-YYYY.txt to YYYY-MM-DD.txt, keeping their content.",
    files: { "photos/05-11-2024.txt": "autumn", "photos/17-03-2025.txt": "spring", "photos/01-01-2026.txt": "winter" },
    checks: [
      '[ "$(ls photos | tr "\\n" " ")" = "2024-11-05.txt 2025-03-17.txt 2026-01-01.txt " ]',
      '[ "$(cat photos/2024-11-05.txt)" = autumn ]',
      '[ "$(cat photos/2026-01-01.txt)" = winter ]',
    ],
    repair:
      'cd photos && for f in *.txt; do d=${f%.txt}; mv "$f" "${d#*-*-}-$(echo "$d" | cut -d- -f2)-${d%%-*}.txt"; done',
  },
];
