/**
 * The messages between a widget in the page and its model in the kernel, matched by id. There is no time limit here:
 * the kernel may be busy with a cell for hours.
 */

/** The part of anywidget's model that the channel needs. */
export interface Comm {
  on(event: 'msg:custom', callback: (message: unknown, buffers: DataView[]) => void): void;
  off(event: 'msg:custom', callback: (message: unknown, buffers: DataView[]) => void): void;
  send(content: unknown, callbacks?: unknown, buffers?: ArrayBuffer[]): void;
}

export interface AskOptions {
  readonly body?: Uint8Array;
  readonly signal?: AbortSignal;
}

export interface Channel {
  ask(what: string, options?: AskOptions): Promise<Uint8Array[]>;
  dispose(): void;
}

interface Waiting {
  readonly resolve: (buffers: Uint8Array[]) => void;
  readonly reject: (reason: unknown) => void;
}

const KERNEL_GONE = 'The kernel that held this model is gone: run the cell again.';

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
    const { body, signal } = options;
    lastId += 1;
    const id = `${lastId}.${Math.random().toString(36).slice(2)}`; // other pages share the comm
    return new Promise<Uint8Array[]>((resolve, reject) => {
      signal?.throwIfAborted();
      waiting.set(id, { resolve, reject });
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
      const buffers = body ? [body.slice().buffer] : []; // of its own: the comm sends whole buffers
      try {
        comm.send({ onnxlab: what, id }, undefined, buffers);
      } catch (error) {
        throw new Error(KERNEL_GONE, { cause: error });
      }
    }).finally(() => waiting.delete(id));
  }

  function dispose(): void {
    comm.off('msg:custom', receive);
    for (const { reject } of waiting.values()) reject(new Error('The view was closed.'));
    waiting.clear();
  }
  return { ask, dispose };
}

function copyOf(view: DataView): Uint8Array {
  return new Uint8Array(view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength));
}
