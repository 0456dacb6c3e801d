/** The OpenAPI 3.1 document of the API, made from the table of routes. */
import { VERSION } from '../core/options/options.ts';
import { ROUTES, type Route } from './contract/routes.ts';
import { API_ERRORS } from './http/api-error.ts';
import { type JsonSchema, NAMED_SCHEMAS, type Schema } from './schema/schema.ts';

const ERROR: JsonSchema = {
  type: 'object',
  properties: {
    error: {
      type: 'object',
      properties: { code: { type: 'string' }, message: { type: 'string' } },
      required: ['code', 'message'],
    },
  },
  required: ['error'],
};

export function openApi(): JsonSchema {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [name, route] of Object.entries(ROUTES) as [string, Route][]) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(name, route) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Orbweaver',
      version: VERSION,
      description:
        'The API of orbweaver serve. Reading needs no token on loopback; changes always need one, as a bearer token. ' +
        'All text of pages is text, not HTML.',
    },
    paths,
    components: {
      schemas: { Error: ERROR, ...Object.fromEntries(NAMED_SCHEMAS) },
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
    },
  };
}

function operation(name: string, { about, path, query, body, answer, isWrite }: Route): JsonSchema {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, part]) => ({
    ...{ name: part, in: 'path', required: true },
    schema: { type: 'string' },
  }));
  const inQuery = Object.entries((query?.fields ?? {}) as Record<string, Schema<unknown>>).map(([field, schema]) => ({
    ...{ name: field, in: 'query', required: !schema.isOptional },
    schema: schema.json,
  }));
  const content = typeof answer === 'string' ? { [answer]: { schema: { type: 'string' } } } : json(answer.json);
  const failures = Object.values(API_ERRORS).map((status) => [
    String(status),
    { description: 'The request was refused or failed.', content: json({ $ref: '#/components/schemas/Error' }) },
  ]);
  return {
    operationId: name,
    summary: about,
    parameters: [...inPath, ...inQuery],
    ...(body && { requestBody: { required: true, content: json(body.json) } }),
    responses: { '200': { description: about, content }, ...Object.fromEntries(failures) },
    security: isWrite ? [{ token: [] }] : [{}, { token: [] }],
  };
}

function json(schema: JsonSchema): JsonSchema {
  return { 'application/json': { schema } };
}
