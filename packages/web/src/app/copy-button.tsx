// A command to be typed elsewhere, with a button that copies it. Where a browser gives no clipboard (a page that is not local), it is selected instead.
import { type ReactNode, useRef, useState } from "react";

interface CommandProps {
  readonly text: string;
  readonly label: string;
}

export function Command({ text, label }: CommandProps): ReactNode {
  const code = useRef<HTMLElement>(null);
  const [said, setSaid] = useState("");
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setSaid("Copied");
    } catch {
      if (code.current !== null) getSelection()?.selectAllChildren(code.current);
      setSaid("Selected");
    }
    setTimeout(() => setSaid(""), 2000);
  };
  return (
    <span className="command">
      <code ref={code}>{text}</code>
      <button type="button" aria-label={`Copy the command: ${label}`} onClick={() => void copy()}>
        {said === "" ? "Copy" : said}
      </button>
      <span role="status" className="unheard">
        {said}
      </span>
    </span>
  );
}
