import { describe, expect, it } from 'vitest';
import { answerDigest } from '../../../agent/lpr/formats/digest-access.js';

/** RFC 7616, 3.9.1. */
const RFC = {
  method: 'GET',
  uri: '/dir/index.html',
  username: 'Mufasa',
  password: 'Circle of Life',
  cnonce: 'f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ',
};
const rfcChallenge = (algorithm: string) =>
  `Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=${algorithm}, ` +
  'nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"';
const MD5_RESPONSE = '8ca523f5e9506fed4657c9700eebdbec';
const SHA_256_RESPONSE = '753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1';

function fieldsOf(authorization: string | null): Record<string, string> {
  expect(authorization).toMatch(/^Digest /);
  const pairs = (authorization ?? '').slice('Digest '.length).matchAll(/(\w+)=(?:"((?:[^"\\]|\\.)*)"|([^\s,]+))/g);
  return Object.fromEntries([...pairs].map(([, name = '', quoted, plain = '']) => [name, quoted ?? plain]));
}

describe('the answer to a digest challenge', () => {
  it.each([
    ['MD5', MD5_RESPONSE],
    ['SHA-256', SHA_256_RESPONSE],
  ])('is that of the RFC with %s', (algorithm, response) => {
    expect(fieldsOf(answerDigest(rfcChallenge(algorithm), RFC))).toEqual({
      username: 'Mufasa',
      realm: 'http-auth@example.org',
      nonce: '7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v',
      uri: '/dir/index.html',
      algorithm,
      qop: 'auth',
      nc: '00000001',
      cnonce: RFC.cnonce,
      response,
      opaque: 'FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS',
    });
  });

  it('takes the better of several offers, and knows them from other schemes', () => {
    const challenge = `Basic realm="a, b", ${rfcChallenge('MD5')}, ${rfcChallenge('SHA-256')}`;
    expect(fieldsOf(answerDigest(challenge, RFC)).response).toBe(SHA_256_RESPONSE);
    expect(fieldsOf(answerDigest(`${rfcChallenge('MD5')}, Basic realm="x"`, RFC)).response).toBe(MD5_RESPONSE);
  });

  it('does without qop, as RFC 2069 had it', () => {
    const request = { ...RFC, password: 'CircleOfLife' };
    const challenge = 'Digest realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093"';
    const fields = fieldsOf(answerDigest(challenge, request));
    expect(Object.keys(fields)).toEqual(['username', 'realm', 'nonce', 'uri', 'response']);
    expect(fields.response).toBe('1949323746fe6a43ef61f9606e7febea');
  });

  it('escapes what would end a field', () => {
    expect(fieldsOf(answerDigest(rfcChallenge('MD5'), { ...RFC, username: 'a"b\\c' })).username).toBe('a\\"b\\\\c');
  });

  it.each([
    ['nothing', ''],
    ['no digest', 'Basic realm="camera"'],
    ['no nonce', 'Digest realm="camera", qop="auth"'],
    ['another algorithm', rfcChallenge('SHA-512-256')],
    ['integrity of the body only', 'Digest realm="camera", nonce="n", qop="auth-int"'],
  ])('is none when the camera offers %s', (_, challenge) => {
    expect(answerDigest(challenge, RFC)).toBeNull();
  });
});
