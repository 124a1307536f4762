/** The radio in a process of its own, which every story has, too. */
import { createChildBench } from './radio-benches.js';
import { radioConformance } from './radio-conformance.js';

radioConformance('noble in its own process', createChildBench);
