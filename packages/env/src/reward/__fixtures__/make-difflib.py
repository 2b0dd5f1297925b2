# Makes difflib.json: [a, b, SequenceMatcher(None, a, b).ratio()] per line. Run with CPython 3.11: python3 make-difflib.py > difflib.json
import difflib, json, random
random.seed(20)
rows = []
def add(a, b): rows.append([a, b, difflib.SequenceMatcher(None, a, b).ratio()])
def word(alphabet, low, high): return "".join(random.choice(alphabet) for _ in range(random.randint(low, high)))
def edited(text, alphabet, edits):
    text = list(text)
    for _ in range(edits):
        at = random.randrange(len(text) + 1)
        if random.random() < 0.5: text.insert(at, random.choice(alphabet))
        elif text: text.pop(min(at, len(text) - 1))
    return "".join(text)
latin, wide = "abcdefghijklmnopqrstuvwxyz ", "aé日本🙂👩‍👧🇫🇷\u0301ß "
for a, b in [("", ""), ("", "a"), ("a", ""), ("a", "a"), ("abcd", "bcde"), ("🙂", "🙂🙂"), ("e\u0301", "é"), ("qabxcd", "abycdf"), ("private Thread", "private volatile Thread")]: add(a, b)
for _ in range(120): add(word("ab", 0, 12), word("ab", 0, 12))
for _ in range(80): base = word(latin, 5, 40); add(base, edited(base, latin, random.randint(0, 8)))
for _ in range(40): add(word(wide, 0, 15), word(wide, 0, 15))
for _ in range(20): text = word(latin, 10, 40); add(text, text[::-1])
for length in [198, 199, 200, 201, 202, 299, 300]: add("ab" * 20 + "c", ("ab" * length)[:length]); add(("abc" * length)[:length], ("bca" * length)[:length])
for _ in range(14): base = word(latin, 200, 380); add(base, edited(base, latin, random.randint(0, 40)))
for _ in range(8): add(word("abcdefgh", 150, 260), word("abcdefgh", 190, 320))
for _ in range(4): base = word("".join(map(chr, range(0x4e00, 0x4f00))) + "🙂", 200, 260); add(base, edited(base, wide, 30))
print(json.dumps(rows, ensure_ascii=False, separators=(",", ":")).replace("],[", "],\n["))
