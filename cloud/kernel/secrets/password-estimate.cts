/**
 * CommonJS, to load the estimate and its lists of 49,000 words when a password is first given: few programs are ever given one, and each
 * would wait for them at its start.
 */
import type core = require('@zxcvbn-ts/core');
import type common = require('@zxcvbn-ts/language-common');

/** Makes an estimate. @param substitutionsMax how many ways to read the signs of a password as letters are tried */
function loadEstimate(substitutionsMax: number): core.ZxcvbnFactory {
  const { ZxcvbnFactory } = require('@zxcvbn-ts/core') as typeof core;
  const { adjacencyGraphs, dictionary } = require('@zxcvbn-ts/language-common') as typeof common;
  return new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs, l33tMaxSubstitutions: substitutionsMax });
}

export = { loadEstimate };
