/** A widget's place in a cell: what the kernel sends to be drawn or, until it is there, a sentence. */

import { lineOf } from '../errors.js';
import { notice } from '../notice.js';
import { type Channel, type Comm, openChannel } from './channel.js';

export interface Content<T> {
  fetch(channel: Channel): Promise<T>;
  /** Draw into the place; returns how to take it away. */
  draw(place: HTMLElement, fetched: T, channel: Channel): () => void;
}

export interface Place {
  readonly element: HTMLElement;
  close(): void;
}

const PATIENCE_MS = 1_500;

export function openPlace<T>(comm: Comm, parent: HTMLElement, content: Content<T>): Place {
  const channel = openChannel(comm);
  const element = document.createElement('div');
  parent.replaceChildren(element);
  let remove: (() => void) | null = null;
  let isClosed = false;
  const say = (sentence: string, again?: () => Promise<void>) => {
    const action = again && { label: 'Try again', run: () => void again() };
    element.replaceChildren(notice(sentence, action));
  };
  const start = async () => {
    const late = setTimeout(() => say('Waiting for the kernel …'), PATIENCE_MS);
    try {
      const fetched = await content.fetch(channel);
      if (isClosed) return;
      clearTimeout(late);
      element.replaceChildren();
      remove = content.draw(element, fetched, channel);
    } catch (error) {
      if (!isClosed) say(lineOf(error), start);
    } finally {
      clearTimeout(late);
    }
  };
  void start();
  return {
    element,
    close() {
      isClosed = true;
      remove?.();
      channel.dispose();
    },
  };
}

/** The one answer that a widget asks for. */
export async function fetchOne(channel: Channel, what: string): Promise<Uint8Array> {
  const [bytes] = await channel.ask(what);
  if (!bytes) throw new Error(`The kernel sent no ${what}: run the cell again.`);
  return bytes;
}
