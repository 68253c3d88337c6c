/** What the file says about itself, and what its profiles came to. */

import { plural } from '../core/format.js';
import type { Controller } from './controller.js';
import { Pairs } from './details.js';
import { wallTime } from './facts.js';

export function ModelPanel({ controller }: { controller: Controller }) {
  const { store } = controller;
  const { header, profiles } = store.document.value;
  const problem = store.shapesProblem.value;
  return (
    <>
      <h2>
        {header.name}
        <small>{header.summary}</small>
      </h2>
      {profiles.map((profile) => (
        <section key={profile.label}>
          <h3>profile on {profile.label}</h3>
          <p>
            {wallTime(profile)} per run, {plural(profile.regions.length, 'kernel')}
            <br />
            <span class="onnxlab-muted">{profile.provider}</span>
          </p>
        </section>
      ))}
      {problem && <p class="onnxlab-warning">⚠ Shapes could not be worked out: {problem}</p>}
      <Pairs title="file" entries={header.entries} />
    </>
  );
}
