/** The messages between a widget in the page and its model in the kernel, matched by id. */

/** The part of anywidget's model that the channel needs. */
export interface Comm {
  on(event: 'msg:custom', callback: (message: unknown, buffers: DataView[]) => void): void;
  off(event: 'msg:custom', callback: (message: unknown, buffers: DataView[]) => void): void;
  send(content: unknown, callbacks?: unknown, buffers?: ArrayBuffer[] | ArrayBufferView[]): void;
}

export interface AskOptions {
  readonly body?: Uint8Array;
  readonly signal?: AbortSignal;
  /** Give up after so long; none where the kernel may be busy with a cell for hours. */
  readonly limitMs?: number;
}

export interface Channel {
  ask(what: string, options?: AskOptions): Promise<Uint8Array[]>;
  dispose(): void;
}

interface Waiting {
  readonly resolve: (buffers: Uint8Array[]) => void;
  readonly reject: (reason: unknown) => void;
}

let lastId = 0;

export function openChannel(comm: Comm): Channel {
  const waiting = new Map<string, Waiting>();

  function receive(message: unknown, buffers: DataView[]): void {
    const { id, error } = message as { id?: string; error?: string };
    const asked = id === undefined ? undefined : waiting.get(id);
    if (!asked) return;
    if (error) asked.reject(new Error(error));
    else asked.resolve(buffers.map(copyOf));
  }
  comm.on('msg:custom', receive);

  function ask(what: string, options: AskOptions = {}): Promise<Uint8Array[]> {
    const { body, signal, limitMs } = options;
    lastId += 1;
    const id = `${lastId}.${Math.random().toString(36).slice(2)}`; // other pages share the comm
    return new Promise<Uint8Array[]>((resolve, reject) => {
      signal?.throwIfAborted();
      waiting.set(id, { resolve, reject });
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
      if (limitMs) setTimeout(() => reject(new Error(SILENT)), limitMs);
      comm.send({ onnxlab: what, id }, undefined, body ? [body] : []);
    }).finally(() => waiting.delete(id));
  }

  function dispose(): void {
    comm.off('msg:custom', receive);
    for (const { reject } of waiting.values()) reject(new Error('The view was closed.'));
    waiting.clear();
  }
  return { ask, dispose };
}

const SILENT = 'The kernel did not answer. It may be busy: try again when it is idle.';

function copyOf(view: DataView): Uint8Array {
  return new Uint8Array(view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength));
}
