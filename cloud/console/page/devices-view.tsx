/** What stands at the car parks: gateways and how they hear, cameras, sensors with their places, terminals. */
import { VIEW_PATHS } from '../console-paths.js';
import { words } from './browser.js';
import { CamerasPart } from './cameras-part.js';
import { GatewaysPart } from './gateways-part.js';
import { LoadingSign } from './loading-sign.js';
import { Link } from './parts.js';
import { queryOf } from './place.js';
import { SensorsPart } from './sensors-part.js';
import { SignalPart } from './signal-part.js';
import { isLoaded } from './store.js';
import { TerminalsPart } from './terminals-part.js';

const PARTS = {
  gateways: () => <GatewaysPart />,
  signal: () => <SignalPart />,
  cameras: () => <CamerasPart />,
  sensors: () => <SensorsPart />,
  terminals: () => <TerminalsPart />,
};

type Part = keyof typeof PARTS;

const isPart = (name: string): name is Part => Object.hasOwn(PARTS, name);

export function DevicesView() {
  if (!isLoaded.value) return <LoadingSign />;
  const wanted = queryOf('show');
  const shown: Part = isPart(wanted) ? wanted : 'gateways';
  return (
    <>
      <h1 tabIndex={-1}>{words.views.devices}</h1>
      <nav class="tabs" aria-label={`${words.menu}: ${words.views.devices}`}>
        {Object.keys(PARTS)
          .filter(isPart)
          .map((part) => (
            <Link
              key={part}
              to={part === 'gateways' ? VIEW_PATHS.devices : `${VIEW_PATHS.devices}?show=${part}`}
              isCurrent={part === shown}
            >
              {words.devices[part]}
            </Link>
          ))}
      </nav>
      {PARTS[shown]()}
    </>
  );
}
