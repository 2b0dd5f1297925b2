// An environment with some of its members replaced. One that is a class instance cannot be spread: its methods are not its own.
import type { Environment } from "@hone/core";

export function withMembers(environment: Environment, members: Partial<Environment>): Environment {
  return {
    kind: "hone/environment",
    info: environment.info,
    tasks: (split) => environment.tasks(split),
    rollout: (request) => environment.rollout(request),
    score: (request) => environment.score(request),
    ...members,
  };
}
