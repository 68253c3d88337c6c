import { URLExt } from '@jupyterlab/coreutils';
import { ServerConnection } from '@jupyterlab/services';
import type { Transport } from '../../core/transport.js';
import type { Response as Answer, Request, ViewDocument } from '../../core/wire.gen.js';
import type { Core } from './core.js';

const STAMP_HEADER = 'Onnxlab-Stamp';

/** The file is gone, or not the one that is shown any more. */
export class FileChanged extends Error {}

/** One model file on the Jupyter server; answers the view's requests. */
export class ServedModel implements Transport {
  private stamp = '';

  constructor(
    private readonly path: () => string,
    private readonly settings: ServerConnection.ISettings,
    private readonly core: Core,
    private readonly onChanged: () => void,
  ) {}

  async document(): Promise<ViewDocument> {
    const response = await this.fetch('document', {});
    this.stamp = response.headers.get(STAMP_HEADER) ?? '';
    return this.core.decodeDocument(new Uint8Array(await response.arrayBuffer()));
  }

  async request(request: Request, signal?: AbortSignal): Promise<Answer> {
    const body = this.core.encode(request) as Uint8Array<ArrayBuffer>;
    const options: RequestInit = { method: 'POST', body };
    if (signal) options.signal = signal;
    try {
      const response = await this.fetch('request', { stamp: this.stamp }, options);
      return this.core.decode(await response.arrayBuffer()) as Answer;
    } catch (error) {
      if (error instanceof FileChanged) this.onChanged();
      throw error;
    }
  }

  /** Whether the file is another one than that which is shown. */
  async hasChanged(): Promise<boolean> {
    if (!this.stamp) return false;
    const shown = this.stamp;
    try {
      const response = await this.fetch('stamp', {});
      const { stamp } = (await response.json()) as { stamp: string };
      return shown === this.stamp && stamp !== shown;
    } catch (error) {
      if (error instanceof FileChanged) return shown === this.stamp;
      throw error;
    }
  }

  private async fetch(
    resource: string,
    query: Record<string, string>,
    options: RequestInit = {},
  ): Promise<Response> {
    const url = URLExt.join(this.settings.baseUrl, 'onnxlab', 'api', resource);
    const full = url + URLExt.objectToQueryString({ path: this.path(), ...query });
    const response = await ServerConnection.makeRequest(full, options, this.settings);
    if (response.ok) return response;
    const line = await lineIn(response);
    const isGone = response.status === 404 && this.stamp !== '';
    throw isGone || response.status === 409 ? new FileChanged(line) : new Error(line);
  }
}

/** The server's own sentence, or what the status code says where another program answered. */
async function lineIn(response: Response): Promise<string> {
  try {
    const { message } = (await response.json()) as { message?: unknown };
    if (typeof message === 'string' && message) return message;
  } catch {
    // Not JSON: a proxy's page, say.
  }
  return `The server answered ${response.status} ${response.statusText}`;
}
