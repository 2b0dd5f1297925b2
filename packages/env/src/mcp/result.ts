// What an MCP tool answers, as the model sees it: text, JSON and images; what a model cannot be shown is named. Long text is cut, with a count.
import type { ContentPart } from "@hone/core";
import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/client";
import type { ToolResult } from "../tool/toolset.ts";

const maxImageBytes = 5_000_000;

export function toToolResult({ content, structuredContent, isError }: CallToolResult, maxBytes: number): ToolResult {
  const parts = content.map(toPart);
  // A server that sends data also sends it as text, if it follows the protocol: then saying it twice would only cost tokens.
  if (structuredContent !== undefined && !content.some(({ type }) => type === "text")) {
    parts.push(text(JSON.stringify(structuredContent)));
  }
  const cut = cutText(parts, maxBytes);
  const onlyText = cut.every((part) => part.type === "text");
  const joined = onlyText ? cut.map((part) => part.text).join("\n") : undefined;
  return { content: joined === "" ? "(no output)" : (joined ?? cut), ...(isError === true ? { isError } : {}) };
}

function toPart(block: ContentBlock): ContentPart {
  switch (block.type) {
    case "text":
      return text(block.text);
    case "image":
      return image(block.data, block.mimeType);
    case "audio":
      return text(`(audio, ${block.mimeType}, ${bytesOf(block.data)} bytes, left out)`);
    case "resource_link": {
      const { name, uri, description } = block;
      return text(`${name}: ${uri}${description === undefined ? "" : ` (${description})`}`);
    }
    case "resource": {
      const { resource } = block;
      if ("text" in resource) return text(resource.text);
      const mimeType = resource.mimeType ?? "unknown type";
      if (mimeType.startsWith("image/")) return image(resource.blob, mimeType);
      return text(`(${resource.uri}, ${mimeType}, ${bytesOf(resource.blob)} bytes, left out)`);
    }
    default:
      return text("(content of an unknown kind, left out)");
  }
}

function image(data: string, mimeType: string): ContentPart {
  const bytes = bytesOf(data);
  if (bytes > maxImageBytes) return text(`(image, ${mimeType}, ${bytes} bytes, too large, left out)`);
  return { type: "image", url: `data:${mimeType};base64,${data}` };
}

function text(value: string): Extract<ContentPart, { type: "text" }> {
  return { type: "text", text: value };
}

function bytesOf(base64: string): number {
  return Math.floor((base64.replace(/=+$/, "").length * 3) / 4);
}

/** All text together gets `maxBytes`; a character is never cut in two. */
function cutText(parts: readonly ContentPart[], maxBytes: number): ContentPart[] {
  let left = maxBytes;
  let dropped = 0;
  const kept = parts.flatMap((part): ContentPart[] => {
    if (part.type !== "text") return [part];
    const bytes = Buffer.from(part.text);
    if (bytes.length <= left) {
      left -= bytes.length;
      return [part];
    }
    let end = left;
    while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
    left = 0;
    dropped += bytes.length - end;
    return end === 0 ? [] : [text(bytes.toString("utf8", 0, end))];
  });
  return dropped === 0 ? kept : [...kept, text(`(truncated ${dropped} bytes)`)];
}
