// Files from outside: written, read and listed with the same names and bytes that commands see, and refused without harm.
import { type Check, expectRefused, printed, refusal, textOf } from "../rig.ts";

export function fileChecks(check: Check): void {
  check("what is written is read back, byte for byte", async ({ box, expect }) => {
    const bytes = Uint8Array.from({ length: 70_000 }, (_, index) => (index * 7) % 256);
    for (const content of [bytes, new Uint8Array(), new TextEncoder().encode("grün €\n")]) {
      await box.write("file.bin", content);
      const back = await box.read("file.bin");
      expect([back.length, Buffer.compare(back, content)]).toEqual([content.length, 0]);
    }
    await box.write("text.txt", "grün €\n");
    expect(textOf(await box.read("text.txt"))).toBe("grün €\n");
  });

  check("a file of some megabytes makes the round", async ({ box, expect }) => {
    const large = new Uint8Array(5_000_000).fill(65);
    await box.write("large", large);
    expect((await box.read("large")).length).toBe(large.length);
  });

  check("relative and absolute paths name the same file, and folders on the way are made", async ({ box, expect }) => {
    await box.write("a/b/c.txt", "1");
    expect(textOf(await box.read("/work/a/b/c.txt"))).toBe("1");
    await box.write("/work/a/./b//d.txt", "2");
    expect(await box.list("a/b")).toEqual(["c.txt", "d.txt"]);
    await box.write("/tmp/deep/e.txt", "3");
    expect(textOf(await box.read("/tmp/deep/e.txt"))).toBe("3");
  });

  check("commands see files from outside, and the other way round", async (rig) => {
    const { box, run, expect } = rig;
    await box.write("in.txt", "from outside");
    expect(await printed(rig, run.printFile("in.txt"))).toBe("from outside");
    await printed(rig, run.writeFile("out.txt", "from inside"));
    expect(textOf(await box.read("out.txt"))).toBe("from inside");
  });

  check("names may contain anything but NUL and a slash", async ({ box, expect }) => {
    const names = [
      "a b",
      "quo'te",
      'dou"ble',
      "$HOME",
      "new\nline",
      "-n",
      "*",
      "back\\slash",
      "grün",
      ".hidden",
      "`x`",
    ];
    for (const name of names) await box.write(`odd/${name}`, name);
    expect(await box.list("odd")).toEqual(names.toSorted());
    for (const name of names) expect(textOf(await box.read(`odd/${name}`))).toBe(name);
  });

  check("a folder's list is sorted and marks folders", async ({ box, expect }) => {
    expect(await box.list(".")).toEqual([]);
    await box.write("b/x", "");
    await box.write("c", "");
    await box.write("a", "");
    expect(await box.list(".")).toEqual(["a", "b/", "c"]);
    expect(await box.list("/work/")).toEqual(["a", "b/", "c"]);
  });

  check("what is not there, or is something else, is refused", async (rig) => {
    const { box, expect } = rig;
    await box.write("folder/file", "x");
    expect(await refusal(rig, box.read("missing"), "reading what is not there")).toBe("file-missing");
    expect(await refusal(rig, box.list("missing"), "listing what is not there")).toBe("file-missing");
    await expectRefused(rig, box.read("missing"), "reading what is not there");
    await expectRefused(rig, box.read("folder"), "reading a folder");
    await expectRefused(rig, box.list("folder/file"), "listing a file");
    await expectRefused(rig, box.write("folder", "x"), "writing over a folder");
    await expectRefused(rig, box.write("folder/file/x", "x"), "writing below a file");
  });

  check("paths that lead out of /work or are none are refused", async (rig) => {
    const { box } = rig;
    for (const path of ["../x", "a/../../x", "..", "", "a\0b"]) {
      const what = JSON.stringify(path);
      await expectRefused(rig, box.read(path), `reading ${what}`);
      await expectRefused(rig, box.write(path, "x"), `writing ${what}`);
      await expectRefused(rig, box.list(path), `listing ${what}`);
    }
  });

  check(
    "a link inside leads to what it names, inside",
    async (rig) => {
      const { box, run, expect } = rig;
      await box.write("folder/file", "seen");
      await printed(rig, run.link("folder", "link"));
      expect(textOf(await box.read("link/file"))).toBe("seen");
      await box.write("link/new", "x");
      expect(await box.list("folder")).toEqual(["file", "new"]);
      expect(await box.list(".")).toEqual(["folder/", "link"]);
      await printed(rig, run.link("nowhere", "broken"));
      expect(await refusal(rig, box.read("broken"), "a link to nothing")).toBe("file-missing");
    },
    { needs: ["links"] },
  );
}
