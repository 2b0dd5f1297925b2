// A chart as a file: its values, or the picture with its title and legend.
import { colourAt, type Colours } from "./colours.tsx";
import { type Drawn, named } from "./chart-data.ts";
import { toCsv } from "./series.ts";

export interface Table {
  readonly steps: readonly number[];
  readonly columns: readonly { readonly label: string; readonly values: readonly (number | null)[] }[];
}

export function tableOf(x: readonly number[], drawn: readonly Drawn[]): Table {
  const columns = named(drawn).map(({ label, values }) => ({ label, values }));
  return { steps: x, columns };
}

export function saveCsv(title: string, { steps, columns }: Table): void {
  const url = URL.createObjectURL(new Blob([toCsv(steps, columns)], { type: "text/csv" }));
  save(`${title}.csv`, url);
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

const [margin, line] = [12, 18];

export function savePng(title: string, plot: HTMLCanvasElement, drawn: readonly Drawn[], colours: Colours): void {
  const scale = devicePixelRatio;
  const canvas = document.createElement("canvas");
  canvas.width = plot.width + 2 * margin * scale;
  canvas.height = plot.height + (2 * margin + 2 * line) * scale;
  const context = canvas.getContext("2d");
  if (context === null) return;
  context.fillStyle = colours.paper;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(plot, margin * scale, (margin + 2 * line) * scale);
  context.scale(scale, scale);
  context.font = "600 13px system-ui, sans-serif";
  context.fillStyle = colours.text;
  context.fillText(title, margin, margin + 12);
  context.font = "12px system-ui, sans-serif";
  let left = margin;
  for (const { label, colour } of named(drawn)) {
    context.fillStyle = colourAt(colours.series, colour);
    context.fillRect(left, margin + line + 7, 10, 3);
    context.fillStyle = colours.faint;
    context.fillText(label, left + 15, margin + line + 12);
    left += 29 + context.measureText(label).width;
  }
  save(`${title}.png`, canvas.toDataURL("image/png"));
}

function save(name: string, url: string): void {
  const link = document.createElement("a");
  link.href = url;
  link.download = name.replaceAll(/[/\\]/g, "-");
  link.click();
}
