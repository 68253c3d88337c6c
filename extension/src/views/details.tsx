/** What is asked for when a node is selected: attributes, documentation, metadata. */

import { useEffect, useState } from 'preact/hooks';
import { elide, oneLine } from '../core/format.js';
import { ask } from '../core/transport.js';
import type { Entry, NodeDetail } from '../core/wire.gen.js';
import type { Controller } from './controller.js';
import { lineOf } from './controller.js';

/** Characters of a text that are shown at once. */
const LONG = 240;

type State =
  | { readonly is: 'waiting' }
  | { readonly is: 'there'; readonly detail: NodeDetail }
  | { readonly is: 'failed'; readonly sentence: string };

export function Details({ controller, node }: { controller: Controller; node: number }) {
  const [state, setState] = useState<State>({ is: 'waiting' });
  const [attempt, setAttempt] = useState(0);
  const document = controller.store.document.value;
  useEffect(() => {
    const stop = new AbortController();
    setState({ is: 'waiting' });
    ask<NodeDetail>(controller.transport, { type: 'node', node }, stop.signal)
      .then((detail) => !stop.signal.aborted && setState({ is: 'there', detail }))
      .catch(
        (error) => !stop.signal.aborted && setState({ is: 'failed', sentence: lineOf(error) }),
      );
    return () => stop.abort();
  }, [controller, node, document, attempt]);
  if (state.is === 'waiting') return <p class="onnxlab-muted onnxlab-late">Reading attributes …</p>;
  if (state.is === 'failed') {
    return (
      <p class="onnxlab-warning">
        {state.sentence}{' '}
        <button type="button" class="onnxlab-link" onClick={() => setAttempt(attempt + 1)}>
          Try again
        </button>
      </p>
    );
  }
  return <Shown detail={state.detail} />;
}

function Shown({ detail }: { detail: NodeDetail }) {
  const attributes = detail.attributes.map(({ name, text }) => ({ key: name, text }));
  return (
    <>
      <Pairs title="attributes" entries={attributes} />
      <Pairs title="metadata" entries={detail.metadata} />
      {detail.doc && (
        <section>
          <h3>note in the model</h3>
          <p class="onnxlab-prose">{detail.doc}</p>
        </section>
      )}
      {detail.schema_doc && (
        <section>
          <h3>operator</h3>
          <p class="onnxlab-prose">{detail.schema_doc}</p>
        </section>
      )}
      <p class="onnxlab-muted">
        address <span class="onnxlab-code">{detail.address}</span>
      </p>
    </>
  );
}

/** A long text shows its beginning; a click shows all. */
function Long({ text }: { text: string }) {
  if (text.length <= LONG) return <>{text}</>;
  return (
    <details>
      <summary>{elide(text, LONG)}</summary>
      {text}
    </details>
  );
}

export function Pairs({ title, entries }: { title: string; entries: readonly Entry[] }) {
  if (entries.length === 0) return null;
  return (
    <section>
      <h3>{title}</h3>
      <table class="onnxlab-pairs">
        <tbody>
          {entries.map(({ key, text }) => (
            <tr key={key}>
              <th title={key}>{oneLine(key)}</th>
              <td class="onnxlab-code">
                <Long text={text} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
