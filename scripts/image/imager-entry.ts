/** The image as an entry of a repository file of Raspberry Pi Imager (its V4 schema). Pure. */

export interface ImageFacts {
  /** Version of the project. */
  readonly version: string;
  /** Where the compressed image can be fetched. */
  readonly url: string;
  /** Day of the build, like 2026-11-28. */
  readonly releaseDate: string;
  readonly imageBytes: number;
  readonly imageSha256: string;
  readonly downloadBytes: number;
  readonly downloadSha256: string;
}

/** Tags of the machines that the image starts on, as Imager's own repository names them. */
const DEVICES = ['pi3-64bit', 'pi4-64bit'];

/** @returns the whole repository file with this one entry, as `rpi-imager --repo FILE` reads it */
export function imagerRepository(facts: ImageFacts) {
  return {
    imager: {
      devices: [
        {
          name: 'Raspberry Pi 4',
          tags: ['pi4-64bit'],
          default: false,
          icon: '',
          description: 'Raspberry Pi 4 Model B, 400 and Compute Module 4',
          matching_type: 'exclusive',
        },
        {
          name: 'Raspberry Pi 3',
          tags: ['pi3-64bit'],
          default: false,
          icon: '',
          description: 'Raspberry Pi 3 Model A+, B, B+ and Zero 2 W',
          matching_type: 'exclusive',
        },
      ],
    },
    os_list: [
      {
        name: `Parking gateway ${facts.version}`,
        description: 'Gateway for cameras and barriers. Put claim.json on the boot partition after writing.',
        icon: '',
        url: facts.url,
        release_date: facts.releaseDate,
        extract_size: facts.imageBytes,
        extract_sha256: facts.imageSha256,
        image_download_size: facts.downloadBytes,
        image_download_sha256: facts.downloadSha256,
        devices: DEVICES,
        // Imager's own settings (user, Wi-Fi) would be written and never read: the claim file takes their place.
        init_format: 'none',
      },
    ],
  };
}
