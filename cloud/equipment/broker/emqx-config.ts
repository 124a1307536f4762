/** What an operator adds to the configuration of an EMQX cluster (`etc/base.hocon`), so that it asks the cloud. */
/** @param cloudUrl the address at which EMQX reaches the cloud */
export function emqxConfig({ cloudUrl, hookSecret }: { cloudUrl: string; hookSecret: string }): string {
  const question = (path: string, fields: readonly string[]) => `
    method = post
    url = "${cloudUrl}/emqx/${path}"
    headers { "Content-Type" = "application/json", "Authorization" = "Bearer ${hookSecret}" }
    body { ${fields.map((field) => `${field} = "\${${field}}"`).join(', ')} }
    request_timeout = "5s"
    ssl { enable = ${cloudUrl.startsWith('https:')} }`;
  return `# Written by parking-cloud broker-config emqx.

authentication = [
  # The cloud's own user alone, which it makes by itself over the REST interface.
  {
    mechanism = password_based
    backend = built_in_database
    user_id_type = username
    password_hash_algorithm { name = sha256, salt_position = suffix }
  },
  {
    mechanism = password_based
    backend = http${question('auth', ['clientid', 'username', 'password'])}
  }
]

# Nobody but the cloud says what is allowed: without its answer, nothing is.
authorization {
  no_match = deny
  deny_action = ignore
  sources = [
    {
      type = http${question('acl', ['clientid', 'username', 'action', 'topic', 'qos', 'retain'])}
    }
  ]
}

mqtt {
  # One message may hold pictures.
  max_packet_size = "12MB"
  # Nothing is kept for a gateway that is away.
  session_expiry_interval = "0s"
}
`;
}
