// Text for a shell, as one word that means itself.

export function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
