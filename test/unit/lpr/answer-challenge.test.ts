import { expect, it } from 'vitest';
import { answerChallenge, CameraRefusal } from '../../../agent/lpr/network/refused-accounts.js';
import { camera } from './plate-world.js';

const REQUEST = { method: 'GET', uri: '/', cnonce: '00' };
const offer = (algorithm: string) => `Digest realm="cam", qop="auth", nonce="1", algorithm=${algorithm}`;

it('a camera that once offered SHA-256 is never shown its password by MD5, nor by Basic', () => {
  const seen = new Set<string>();
  const item = camera('cam', { username: 'admin', password: 'secret' });
  const answer = (challenge: string, asked = item) => answerChallenge(asked, { ...REQUEST, challenge, seen });
  expect(answer(offer('MD5'))).toContain('algorithm=MD5');
  expect(answer('Basic realm="cam"')).toBeNull();
  expect(answer(`${offer('MD5')}, ${offer('SHA-256')}`)).toContain('algorithm=SHA-256');
  for (const weaker of [offer('MD5'), 'Digest realm="cam", nonce="1"', 'Basic realm="cam"'])
    expect(() => answer(weaker)).toThrow(CameraRefusal);
  expect(answer(offer('SHA-256'))).toContain('algorithm=SHA-256');
  // A replaced camera, whose password was given again.
  expect(answer(offer('MD5'), { ...item, password: 'another' })).toContain('algorithm=MD5');
});
