import { makeChildBench, makeFakeBench, makeNobleBench } from './radio-benches.js';
import { radioConformance } from './radio-conformance.js';

radioConformance('fake', makeFakeBench);
radioConformance('noble in this process', makeNobleBench);
radioConformance('noble in its own process', makeChildBench);
