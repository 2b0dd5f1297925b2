// Talk to a model: clients for four wire dialects, named endpoints, and a policy's engine as a model.
export { type ClientOptions, createClient } from "./client.ts";
export type { DialectName, Endpoint, Price } from "./endpoint.ts";
export { loadEndpoints, type LoadEndpointsOptions } from "./endpoints.ts";
export { policyModel, type PolicyModelOptions } from "./policy.ts";
export { resolveModel, type ResolveModelOptions } from "./resolve-model.ts";
export type { RetryPolicy, RetryTools } from "./retry.ts";
