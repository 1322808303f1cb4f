// Lets Node import `servers/…` from FOLDER where it is found nowhere else, and TypeScript of that folder under names
// that end in `.js`. Loaded twice without `registerHooks`: here, and in the thread that resolves names.
import * as modules from 'node:module';
import { pathToFileURL } from 'node:url';
import { isMainThread } from 'node:worker_threads';

const base = pathToFileURL(FOLDER).href;

const isMissing = (error) => error?.code === 'ERR_MODULE_NOT_FOUND';

function candidates(name, parent) {
  const isRelative = /^\.\.?\//.test(name) && parent?.startsWith(base);
  if (!isRelative && !name.startsWith('servers/')) return [];
  const url = isRelative ? new URL(name, parent).href : base + encodeURI(name);
  return url.endsWith('.js') ? [url, `${url.slice(0, -3)}.ts`] : [url];
}

function resolveSync(name, context, next) {
  try {
    return next(name, context);
  } catch (error) {
    if (!isMissing(error)) throw error;
    for (const url of candidates(name, context.parentURL)) {
      try {
        return next(url, context);
      } catch (other) {
        if (!isMissing(other)) throw other;
      }
    }
    throw error;
  }
}

export async function resolve(name, context, next) {
  try {
    return await next(name, context);
  } catch (error) {
    if (!isMissing(error)) throw error;
    for (const url of candidates(name, context.parentURL)) {
      try {
        return await next(url, context);
      } catch (other) {
        if (!isMissing(other)) throw other;
      }
    }
    throw error;
  }
}

if (modules.registerHooks) modules.registerHooks({ resolve: resolveSync });
else if (isMainThread) modules.register(import.meta.url);
