"""Names of files with secrets: names, words in names, folders, endings; all in lower case.

The sources are collections of .gitignore files and secret scanners. `secrets` interprets the lists.
"""

from __future__ import annotations

from ...common.words import words_of

# Whole names, as patterns.
NAMES = words_of("""
    .env .env[!a-z]* .envrc .flaskenv .env.* *.env env.local env.prod env.production env.list
    *.pem *.key *.p8 *.p12 *.pfx *.pkcs12 *.p7b *.p7c *.jks *.jceks *.bks *.keystore *.keyring *.keychain *.keychain-db *.kwallet *.kdb *.kdbx
    *.psafe3 *.agilekeychain *.opvault *.1pif *.gpg *.pgp *.asc *.age *.agekey *.ppk *.crt *.cer *.cert *.der *.csr *.bek *.fve *.tpm
    *.keytab *.keypair *.snk *.ovpn *.tblk *.rdp *.nmconnection *.mobileprovision *.publishsettings *.azureauth *.cscfg *.kubeconfig
    *.tfvars *.tfvars.json *.tfstate *.tfstate.* *.tfplan *.secret *.secrets *.credential *.credentials *.creds *.password *.passwd *.token
    *.private_key *.vault
    id_rsa* id_dsa* id_ecdsa* id_ed25519* id_xmss* *_rsa *_dsa *_ecdsa *_ed25519 ssh_host_*_key krb5cc_*
    .netrc .netrc.* _netrc .authinfo .authinfo.* .pgpass pgpass.conf .my.cnf .mylogin.cnf .npmrc .yarnrc .yarnrc.yml .pypirc pip.conf pip.ini
    .htpasswd htpasswd .htdigest .git-credentials .gitcredentials .dockercfg .dockerconfigjson *.dockerconfigjson dockerconfig.json .boto .s3cfg
    .passwd-s3fs .databrickscfg .tugboat .terraformrc terraform.rc *.tfrc .esmtprc .msmtprc .fetchmailrc .muttrc .rhosts hosts.equiv .trc
    .sentryclirc .vault-token .vault_pass* .vault-pass* vault.yml vault.yaml .slack-token .jupyter_server_token
    passwd passwd- master.passwd shadow shadow- gshadow chap-secrets pap-secrets wpa_supplicant*.conf wg[0-9]*.conf wg-*.conf
    proftpdpasswd otr.private_key hudson.util.secret initialadminpassword master.key secring.* pubring.kbx wallet.dat
    kube-config* kube_config* admin.conf rootkey*.csv
    rclone.conf .rclone.conf nuget.config settings-security.xml google-services*.json googleservice-info*.plist
    *firebase*adminsdk* *adminsdk*.json application_default_credentials* client_id*.json azureprofile.json msal_token_cache*
    appsettings.*.json appsettings.*.yml local.settings.json connectionstrings.* database.yml database.yaml
    sftp-config.json sftp.json .ftpconfig .ftppass .ftpquota .remote-sync.json remote-sync.json deployment-config.json filezilla.xml
    recentservers.xml sitemanager.xml winscp.ini robomongo.json .dbeaver-data-sources.xml dbeaver-data-sources.xml credentials-config.json
    logins.json key[34].db signons.sqlite cookies.txt cookies.sqlite cookies.json kaggle.json ventrilo_srv.ini
    jenkins.plugins.publish_over_ssh.bapsshpublisherplugin.xml local.properties gradle-local.properties
    .*_history .*-history .*_history.* .histfile .zhistory .history .*_eternal_history fish_history consolehost_history.txt .lesshst .viminfo
    _viminfo .irbhistory
""")
# Source code counts by these alone.
CODE_NAMES = words_of(
    "wp-config.php localsettings.php local_settings.php config.inc.php configuration.php secret_token.rb knife.rb"
)
# Data files, as opposed to code, count by the words in their names: these words anywhere,
WORDS = words_of(
    """secret secrets credential credentials cred creds password passwords passwd passwds passphrase passphrases htpasswd apikey apikeys
    apitoken apitokens accesskey accesskeys accesstoken accesstokens authtoken authtokens refreshtoken privatekey privatekeys secretkey
    secretkeys sshkey sshkeys clientsecret clientsecrets serviceaccount serviceaccounts keystore keystores keyring keyfile keyfiles keypair
    keypairs keytab kubeconfig kubeconfigs truststore dockerconfigjson adminsdk vaultpass"""
)
# these in adjacent pairs,
PAIRS = frozenset(
    (
        ("service", "account"),
        ("service", "accounts"),
        ("key", "store"),
        ("key", "file"),
        ("key", "pair"),
        ("vault", "pass"),
    )
)
# and these where all other words name an owner or a purpose.
HEADS = frozenset(("key", "keys", "token", "tokens", "auth", "oauth", "oauth2", "wallet", "vault"))
WHOSE = words_of(
    """access account active admin android api app apple apps auth aws azure backend basic bearer bot bots ci client cloud cloudflare code
    common config credentials data db default deploy deployment dev development digitalocean discord docker encryption env example firebase
    frontend ftp gcloud gcp gh git github gitlab google gpg group heroku hf hmac host http huggingface id ios jwt kube kubernetes license
    live local login main master ml my net netlify new npm oauth oauth2 old openai org pgp private prod production project pypi qa refresh
    registry release root rsa sa sample sandbox secret secrets server service session sign signing slack smtp ssh ssl stage staging storage
    store stripe system team telegram temp template test tls twilio twitter uat user users vault vercel web webhook www x"""
)
DATA_ENDS = words_of(
    """ json jsonc json5 jsonl ndjson yaml yml toml ini cfg cnf conf config xml csv tsv txt text properties props plist pkl db sqlite sqlite3
    dat data bin b64 base64 hex enc encrypted env list lst j2 tmpl tpl template dist example sample local"""
) | {""}
# The names of these files may have a suffix: key.pem.1, cert.pem.txt.
KEY_ENDS = words_of(
    "pem key p8 p12 pfx pkcs12 jks keystore kdbx ppk ovpn keytab tfstate tfvars env secret secrets htpasswd"
)
SOURCE_ENDS = words_of(
    """py pyi pyx pxd pyw ipynb go js jsx mjs cjs ts tsx mts cts vue svelte c h cc cpp cxx hh hpp m mm cs fs vb java kt kts scala groovy rs rb
    erb php swift dart lua luau slua slua-api sh bash zsh fish ps1 bat cmd pl pm r jl hs ml mli ex exs erl clj cljs lisp el vim sql proto
    graphql lark g4 md rst adoc html htm css scss sass less svg tf hcl nix cmake gradle"""
) | {"pub"}  # the public half of a key
SECRET_FOLDERS = words_of(
    """.ssh .aws .gnupg .azure .kube .gcloud .gcp .password-store .secrets .secret .credentials .chef .oci .bluemix .ibmcloud .kaggle .vault
    .keychain keychains .doctl .snowsql .databricks .terraform.d terraform.tfstate.d .private-keys"""
)
DATA_FOLDERS = words_of("secrets secret credentials creds private_keys private-keys passwords api-keys api_keys")
# In other folders, a folder or file inside.
SECRET_INSIDE = frozenset(
    (
        *((".docker", "config.json"), (".config", "gh"), (".config", "glab-cli"), (".config", "hub"), ("config", "hub")),
        *((".config", "gcloud"), (".config", "op"), (".config", "doctl"), (".config", "rclone"), (".config", "containers")),
        *((".m2", "settings.xml"), (".gradle", "gradle.properties"), (".subversion", "auth"), (".gem", "credentials")),
        *((".huggingface", "token"), ("huggingface", "token"), ("huggingface", "stored_tokens"), ("doctl", "config.yaml")),
        *((".irssi", "config"), ("irssi", "config"), (".purple", "accounts.xml"), ("purple", "accounts.xml")),
        *((".xchat2", "servlist_.conf"), (".recon-ng", "keys.db"), ("ssh", "config"), ("etc", "shadow"), ("etc", "passwd")),
        *((".circleci", "cli.yml"), (".git", "config"), (".cargo", "credentials.toml")),
    )
)  # fmt: skip
