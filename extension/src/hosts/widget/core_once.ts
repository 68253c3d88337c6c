/** The core, once per page however many cells show a model: it comes from the kernel and is kept by its hash. */

import type { Channel } from './channel.js';

export type CoreModule = typeof import('../core.js');

export interface LoadedCore {
  readonly module: CoreModule;
  readonly css: string;
}

declare global {
  var onnxlabCores: Map<string, Promise<LoadedCore>> | undefined;
}

export function loadCore(hash: string, channel: Channel): Promise<LoadedCore> {
  globalThis.onnxlabCores ??= new Map();
  const cores = globalThis.onnxlabCores;
  const known = cores.get(hash);
  if (known) return known;
  const loading = receive(channel);
  cores.set(hash, loading);
  loading.catch(() => cores.delete(hash)); // so that the next cell tries again
  return loading;
}

async function receive(channel: Channel): Promise<LoadedCore> {
  const [script, css] = await channel.ask('core');
  if (!script || !css) throw new Error('The kernel sent no view: restart it.');
  const source = new Blob([script as BlobPart], { type: 'text/javascript' });
  const url = URL.createObjectURL(source);
  try {
    const module = (await import(/* webpackIgnore: true */ url)) as CoreModule;
    return { module, css: new TextDecoder().decode(css) };
  } finally {
    URL.revokeObjectURL(url);
  }
}
