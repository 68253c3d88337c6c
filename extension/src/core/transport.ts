/** How a view asks whoever holds the model. */

import type { Failure, NodeDetail, Request, Response } from './wire.gen.js';

export interface Transport {
  request(request: Request, signal?: AbortSignal): Promise<Response>;
}

const TIME_OUT_MS = 30_000;

/** Ask, with a time limit; a `Failure` becomes an error with its one line. */
export async function ask<R extends Response>(
  transport: Transport,
  request: Request,
  signal?: AbortSignal,
  timeOutMs = TIME_OUT_MS,
): Promise<Exclude<R, Failure>> {
  const limit = new AbortController();
  const stop = () => limit.abort();
  signal?.addEventListener('abort', stop);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      limit.abort();
      reject(
        new Error(
          `No answer within ${timeOutMs / 1000} s: the kernel or server may be busy or gone.`,
        ),
      );
    }, timeOutMs);
  });
  try {
    const response = await Promise.race([transport.request(request, limit.signal), late]);
    if (response.type === 'failure') throw new Error(response.message);
    return response as Exclude<R, Failure>;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  }
}

/** For a document that brings its details along and has no one to ask. */
export function staticTransport(details: readonly NodeDetail[]): Transport {
  const byNode = new Map(details.map((detail) => [detail.node, detail]));
  return {
    async request(request) {
      const detail = request.type === 'node' ? byNode.get(request.node) : undefined;
      return detail ?? { type: 'failure', message: 'This report does not hold that detail.' };
    },
  };
}
