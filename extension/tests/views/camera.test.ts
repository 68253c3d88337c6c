import { expect, it } from 'vitest';
import { Camera } from '../../src/views/camera.js';

it('a canvas of another width keeps its middle, and its top', () => {
  const camera = new Camera();
  camera.resize(1000, 600);
  camera.zoomAt(0, 0, 0.5);
  const middle = camera.toScene(500, 0);
  camera.resize(300, 200);
  expect(camera.toScene(150, 0)).toEqual(middle);
});
