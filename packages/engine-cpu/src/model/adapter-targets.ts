// Which linear layers an adapter is put on, by the names that PEFT gives them: a whole path, the end of one, or "all-linear", which as in
// PEFT leaves the output layer out.
import { outputLayer } from "./assemble.ts";
import { badRequest } from "./check-tokens.ts";

const everyLayer = "all-linear";

/** Those of `names`, in their order. */
export function adapterTargets(names: readonly string[], targets: readonly string[]): readonly string[] {
  const matches = (name: string, target: string): boolean =>
    target === everyLayer ? name !== outputLayer : name === target || name.endsWith(`.${target}`);
  const unknown = targets.filter((target) => !names.some((name) => matches(name, target)));
  if (unknown.length > 0 || targets.length === 0) {
    const ends = [...new Set(names.map((name) => name.slice(name.lastIndexOf(".") + 1)))];
    const what =
      targets.length === 0 ? "the adapter has no targets" : `no linear layer is called ${unknown.join(", ")}`;
    throw badRequest(`${what}; an adapter can be put on ${ends.join(", ")} or ${everyLayer}`);
  }
  return names.filter((name) => targets.some((target) => matches(name, target)));
}
