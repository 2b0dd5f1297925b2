// The arguments of an environment in words: name as files spell it, what it takes, its default, what it means.
import { jsonSchemaOf } from "@hone/config";
import type { Json, JsonObject } from "@hone/core";
import type * as z from "zod";

export interface ArgumentInfo {
  readonly name: string;
  /** "whole number from 1", "one of hub, own". */
  readonly type: string;
  readonly isRequired: boolean;
  readonly default?: Json;
  readonly description?: string;
}

export function describeArguments(schema: z.ZodObject | undefined): ArgumentInfo[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = jsonSchemaOf(schema) as Shape;
  return Object.entries(properties).map(([name, property]) => ({
    name,
    type: typeWords(property),
    isRequired: required.includes(name),
    ...(property.default === undefined ? {} : { default: property.default }),
    ...(property.description === undefined ? {} : { description: property.description }),
  }));
}

interface Shape {
  readonly properties?: Readonly<Record<string, Property>>;
  readonly required?: readonly string[];
}

/** What is read of JSON Schema. */
interface Property {
  readonly type?: string | readonly string[];
  readonly enum?: readonly Json[];
  readonly const?: Json;
  readonly anyOf?: readonly Property[];
  readonly items?: Property;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: Json;
  readonly description?: string;
}

function typeWords(property: Property): string {
  if (property.enum !== undefined) return `one of ${property.enum.map(String).join(", ")}`;
  if (property.const !== undefined) return JSON.stringify(property.const);
  if (property.anyOf !== undefined) return [...new Set(property.anyOf.map(typeWords))].join(" or ");
  const { type } = property;
  if (typeof type === "object") return type.map((one) => typeWords({ ...property, type: one })).join(" or ");
  switch (type) {
    case "integer":
      return `whole number${rangeWords(property)}`;
    case "number":
      return `number${rangeWords(property)}`;
    case "string":
      return "text";
    case "boolean":
      return "true or false";
    case "array":
      return `list of ${property.items === undefined ? "anything" : typeWords(property.items)}`;
    case "object":
      return "table";
    case undefined:
    default:
      return "anything";
  }
}

function rangeWords({ minimum, maximum }: Property): string {
  return `${minimum === undefined ? "" : ` from ${minimum}`}${maximum === undefined ? "" : ` to ${maximum}`}`;
}

/** A value as it is typed after `--arg name=`. */
export function valueWords(value: Json | JsonObject): string {
  return JSON.stringify(value);
}
