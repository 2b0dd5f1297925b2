// Markdown laid out with elements of ours and the model's words as text nodes. No HTML, no address that can be followed, no picture that is loaded.
import { createContext, type ReactNode, useContext, useMemo } from "react";
import { type Block, parseMarkdown, type Span } from "./markdown.ts";
import { Pieces, Said } from "./said.tsx";

/** Whether what a model wrote is laid out or shown letter by letter. */
const Context = createContext(false);
export const MarkdownSwitch = Context.Provider;

/** A longer text is shown as it is: parsing it would be felt. */
const longest = 20_000;

interface WrittenProps {
  readonly text: string;
  readonly at: string;
}

/** What a model or a person wrote, the way the reader asked for. */
export function Written({ text, at }: WrittenProps): ReactNode {
  const isMarkdown = useContext(Context);
  return isMarkdown && text.length <= longest ? <Markdown text={text} /> : <Said text={text} at={at} />;
}

function Markdown({ text }: { readonly text: string }): ReactNode {
  const blocks = useMemo(() => parseMarkdown(text), [text]);
  return (
    <div className="markdown" dir="auto">
      {blocks.map((block, index) => (
        <Laid key={index} block={block} />
      ))}
    </div>
  );
}

function Laid({ block }: { readonly block: Block }): ReactNode {
  switch (block.type) {
    case "code":
      return (
        <pre data-language={block.language}>
          <code>
            <Pieces text={block.text} />
          </code>
        </pre>
      );
    case "heading":
      // Not a heading of the page: its outline would be the model's.
      return (
        <p className={`title level-${block.level}`}>
          <Spans spans={block.spans} />
        </p>
      );
    case "list":
      return (
        <ul>
          {block.items.map(({ depth, mark, spans }, index) => (
            <li key={index} className={`depth-${Math.min(depth, 5)}`}>
              <span className="mark">{block.isNumbered || /\d/.test(mark) ? mark : "•"}</span>
              <span>
                <Spans spans={spans} />
              </span>
            </li>
          ))}
        </ul>
      );
    case "quote":
      return (
        <blockquote>
          <Spans spans={block.spans} />
        </blockquote>
      );
    case "rule":
      return <hr />;
    case "paragraph":
      return (
        <p>
          <Spans spans={block.spans} />
        </p>
      );
  }
}

function Spans({ spans }: { readonly spans: readonly Span[] }): ReactNode {
  return spans.map(({ type, text, url }, index) => {
    const words = <Pieces key={index} text={text} />;
    switch (type) {
      case "text":
        return words;
      case "code":
        return <code key={index}>{words}</code>;
      case "strong":
        return <strong key={index}>{words}</strong>;
      case "emphasis":
        return <em key={index}>{words}</em>;
      case "link":
        return (
          <span key={index} className="address">
            {words}{" "}
            <span className="faint">
              (<Pieces text={url ?? ""} />)
            </span>
          </span>
        );
    }
  });
}
