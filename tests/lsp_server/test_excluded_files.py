"""Places without suggestions, and files that are never read."""

import subprocess
from pathlib import Path

import pytest
from suture.lsp_server.context.cross_file import CrossFileContext
from suture.lsp_server.context.gitignore import is_ignored
from suture.lsp_server.context.globs import MAX_PATTERN, any_matches
from suture.lsp_server.context.secrets import (
    HEAD_CHARS,
    begins_with_key,
    in_word,
    leads_to_secret,
    looks_secret,
    respects_word,
)
from suture.lsp_server.session.documents import Change, Document

from ..support.programs import program
from ..support.work import calls

SECRET = r"""
.env /home/me/app/.env a/.env.local a/prod.env .envrc .env-prod .env_staging .env2 .env.production.local .env.json .flaskenv env.local
backend.env docker.env.txt .env.bak .env~ .env.swp #.env# ..env.swp
server.PEM tls/server.key key.pem.1 cert.pem.txt tls.key.old ca.crt client.cer cert.der request.csr AuthKey_1.p8 key.p12 site.pfx
bundle.pkcs12 debug.jks release.keystore app.jceks upload-keystore.jks login.keychain login.keychain-db kdewallet.kwallet keys.kdbx
old.kdb vault.psafe3 data.agilekeychain mail.gpg dump.sql.gpg message.asc secrets.age key.agekey putty.ppk office.ovpn laptop.tblk
host.rdp service.keytab krb5.keytab strong.snk dist.mobileprovision azure.publishsettings role.cscfg
id_rsa id_ed25519 id_rsa.old id_ecdsa_sk id_rsa.txt deploy_rsa github_ed25519 ssh_host_rsa_key /home/me/.ssh/config /home/me/.ssh/known_hosts
/home/me/.aws/config C:/Users/me/.aws/credentials C:\Users\me\.aws\config /home/me/.azure/accessTokens.json .gnupg/secring.gpg
.kube/config kubeconfig kubeconfig.yaml kubeconfig-prod prod.kubeconfig prod-kubeconfig.yml kube-config.yaml admin.conf
credentials credentials.json credentials.yml aws_credentials.json credentials.prod.json credentials.prod.yaml gcp-credentials.json credentials.csv
rootkey.csv credentials.xml credentials.properties credentials.tfrc.json credentials.db user-credentials.ini DbCredentials.json creds.json
creds.txt .credentials
secret.toml secrets.yaml secrets.json secrets.prod.json secrets.prod.yaml app-secrets.json appSecrets.json my_secret.txt secret.txt
secrets.json.bak .secrets.yaml.swp .secrets .secrets/any.txt secrets/db.json secrets.ini secrets.enc.yaml k8s-secret.yml client_secret_1.json
client_secrets.json clientSecret.json secret_key.txt secret-key.json secretKey.yaml
password.txt passwords.txt db-password.json passwd.json htpasswd .htpasswd .htdigest master.passwd passphrase.txt passwords/db.txt
token.json tokens.txt token access_token.json access-tokens.json auth-token.txt github_token github-token.txt refresh_token.json
slack-bot-token.txt accessToken.json hf_token .vault-token gh.token
api-keys.json api_keys.json apikeys.json apiKey.json api-key.txt apikey.txt private-key.json private_key.json private.key privateKey.json
private-key access-keys.csv accessKeys.csv signing-key.json encryption_key.bin service-key.json gcp-key.json key.json keys.json keys.txt
keystore.json keystore.properties key.properties signing.key keypair.json rsa_key.txt deploy_key deploy-key.txt jwt-key.txt sshkey.txt
stripe_keys.json master.key license-key.txt
auth.json auth.toml auth.prod.json oauth.json oauth2.json .config/containers/auth.json .authinfo .authinfo.gpg
service-account.json service_account.json serviceAccountKey.json service-account-key.json serviceaccount.prod.json my-service-account-1.json
application_default_credentials.json firebase-adminsdk-x1y2.json app-firebase-adminsdk-a1-b2.json google-services.json
GoogleService-Info.plist client_id.json
appsettings.Production.json appsettings.Development.json local.settings.json connectionStrings.json azureProfile.json msal_token_cache.json
terraform.tfstate terraform.tfstate.backup terraform.tfstate.d/dev/any.json prod.tfvars prod.auto.tfvars.json plan.tfplan .terraformrc
terraform.rc
.netrc _netrc .netrc.gpg .pypirc .npmrc .yarnrc.yml pip.conf pip.ini nuget.config .pgpass pgpass.conf .my.cnf .mylogin.cnf .git-credentials
.s3cfg .boto .passwd-s3fs .databrickscfg .dockercfg .dockerconfigjson dockerconfig.json /home/me/.docker/config.json rclone.conf
/home/me/.config/gh/hosts.yml .config/gcloud/access_tokens.db .config/hub .config/op/config .m2/settings.xml settings-security.xml
.gradle/gradle.properties local.properties .huggingface/token kaggle.json /home/me/.kaggle/kaggle.json .chef/user.rb .oci/config
.snowsql/config .cargo/credentials.toml .gem/credentials .subversion/auth/any.txt .muttrc .msmtprc .fetchmailrc .rhosts
wg0.conf wg-home.conf wpa_supplicant.conf home.nmconnection chap-secrets ipsec.secrets /etc/shadow /etc/passwd
sftp-config.json sftp.json .ftpconfig filezilla.xml recentservers.xml winscp.ini robomongo.json dbeaver-data-sources.xml
database.yml vault.yml .vault_pass .vault_pass.txt vault-password.txt hudson.util.Secret initialAdminPassword
wp-config.php LocalSettings.php secret_token.rb knife.rb logins.json key4.db cookies.txt wallet.dat wallet.json
.bash_history /home/me/.python_history .zsh_history .histfile .viminfo .psql_history .mysql_history fish_history
"""
SERVED = """
app.py secrets.py /lib/secrets.py environment.py keyboard.py env/app.py credentials.py tokens.py history.py shell_history.py secrets/app.py
docker/config.json .docker/app.py gh/hosts.yml config.json secrets.py.bak id_rsa.pub settings.json package.json test_env.py monkey.py
tokenizer.json tokenizer_config.json special_tokens_map.json added_tokens.json design-tokens.json auth.py auth.go keys.go keys.py key.ts
token.go tokens.go password.py passwords.go password_validation.py test_credentials.py credentials_test.go secret.go secret_test.go api_keys.py
private_key.py service_account.py authentication.py oauth.py oauth2.py vault.py wallet.go apikey.js token.slua secrets.slua-api auth.slua
package-lock.json tsconfig.json composer.json manifest.json launch.json tasks.json pyproject.toml setup.cfg tox.ini go.mod go.sum Makefile
appsettings.json data.json users.json accounts.json authors.json author.json keyboard.json keybindings.json keymap.json keywords.json
hotkeys.json monkeys.json turkey.csv secretary.json tokenize.json tokenization.json primary-keys.json public-key.json foreign_keys.yaml
translation-keys.json index.json schema.json swagger.json openapi.yaml docker-compose.yml values.yaml deployment.yaml environment.yml
environment.json environments.json requirements.txt README.md secrets.md credentials.html PASSWORDS.md LICENSE license.txt CHANGELOG notes.txt
main.tf variables.tf .gitignore .gitattributes .editorconfig .prettierrc.json .eslintrc.json .vscode/settings.json .vscode/launch.json
renovate.json lerna.json firebase.json app.json vercel.json now.json tests/keys/test_keys.py src/keys/index.ts pkg/secret/types.go
src/auth/config.json src/tokens/data.json keys/en.json passwd.py shadow.py history.json event-history.json env.py env.ts dotenv.py .env.d/app.py
kubeconfig.go wg.py local_settings.py settings.py database.py wallet.py cookie.py logins.py storage.json store.json google.json client.json
secrets.md password.docx tokens.zip locale.key.ts pem.py rsa.py access.json root.json session.json
"""


@pytest.mark.parametrize("path", SECRET.split())
def test_files_that_look_secret(path):
    assert looks_secret(path)


@pytest.mark.parametrize("path", SERVED.split())
def test_files_that_do_not(path):
    assert not looks_secret(path)


_DATA = "MIIEpAIBAAKCAQEAx0Yh3mJ8u1oUe2qS"


@pytest.mark.parametrize(
    ("path", "text", "shows"),
    [
        ("notes.txt", f"-----BEGIN RSA PRIVATE KEY-----\n{_DATA}\n", True),
        ("any", f"some words\n-----BEGIN CERTIFICATE-----\n{_DATA}\n", True),
        ("deploy.json", f'{{"type": "x", "k": "-----BEGIN PRIVATE KEY-----\\n{_DATA}\\n"}}', True),
        ("a.yaml", "key: |\n  -----BEGIN OPENSSH PRIVATE KEY-----\n  b3Bl\n", True),
        ("a.txt", "-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: 1\n", True),
        ("a.txt", "PuTTY-User-Key-File-2: ssh-rsa\n", True),
        ("a.txt", "# created\nAGE-SECRET-KEY-1QQPZRY\n", True),
        ("a.txt", "x" * 2000 + f"\n-----BEGIN RSA PRIVATE KEY-----\n{_DATA}\n", False),
        ("a.txt", "-----BEGIN of a list-----\n", False),
        ("a.py", f'KEY = """-----BEGIN RSA PRIVATE KEY-----\n{_DATA}\n"""\n', True),
        ("a.py", f'KEY = ("-----BEGIN EC PRIVATE KEY-----\\n"\n    "{_DATA}")\n', True),
        ("a.go", f"var key = `-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n{_DATA}`\n", True),
        ("a.py", f'CERT = """-----BEGIN CERTIFICATE-----\n{_DATA}\n"""\n', False),
        ("a.py", 'if text.startswith("-----BEGIN RSA PRIVATE KEY-----"):\n    raise ValueError(text)\n', False),
        ("a.py", 'HEADER = re.compile("-----BEGIN ([A-Z ]+)-----")\n', False),
        ("a.py", "# ----------\nx = 1\n", False),
    ],
)
def test_a_key_shows_in_the_beginning_of_a_file(path, text, shows):
    assert begins_with_key(path, text) is shows


@pytest.mark.timeout(60)  # what took long did not end
@pytest.mark.parametrize(
    "text",
    ["-" * HEAD_CHARS, "-----BEGIN " * 100, "-----BEGIN A" + " A" * 500, "-----BEGIN PRIVATE KEY-----" + "\\n" * 500],
)
def test_no_beginning_takes_long(text):
    for path in ("a.py", "a.txt"):
        for _ in range(50):
            begins_with_key(path, text)


def test_no_name_takes_long():
    for name in ("a" * 100_000, "A" * 100_000, "a." * 50_000, "key-" * 25_000, ".env" + "~" * 100_000):
        looks_secret(f"/{name}.json")


@pytest.mark.parametrize(
    ("marked", "suggestion", "inside", "shown"),
    [
        ("x = fo|o", "o_ba", True, True),  # one word still
        ("x = fo|o", "o(a).", True, False),
        ("x = |foo", "bar + ", False, True),
        ("x = |foo", ".b", False, False),
        ("x = |foo", "bar", False, False),  # would become another word
        ("x = fo|", "o", False, True),
        ("x = fo|)", "o", False, True),
        ("é|é", "a", True, True),
        ("a|1", ".b", True, False),
        ("|x", "", False, True),
    ],
)
def test_words(marked, suggestion, inside, shown):
    text, offset = marked.replace("|", ""), marked.index("|")
    assert in_word(text, offset) is inside
    assert respects_word(text, offset, suggestion) is shown


PATTERNS = {
    ".gitignore": "# a comment\n*.log\n!keep.log\nbuild/\n/only_here.py\ndocs/*.txt\n**/deep\na/**/z.py\nspace\\ \n\\#x\n[ab].c\n!\n/\n"
    "trailing   \nq?.py\nfoo/**\n\\!bang\nx[!a-c].h\n",
    "sub/.gitignore": "*.tmp\n!important.log\n/rooted\n",
    ".git/info/exclude": "excluded.py\n",
}
PATHS = [
    "a.log", "keep.log", "sub/keep.log", "sub/important.log", "build/x.py", "sub/build/y.py", "build.py", "only_here.py",
    "sub/only_here.py", "docs/a.txt", "docs/b/a.txt", "sub/docs/a.txt", "x/deep/y.py", "deep/y", "a/z.py", "a/b/c/z.py", "b/a/z.py",
    "space ", "#x", "a.c", "c.c", "sub/a.tmp", "a.tmp", "sub/rooted", "sub/x/rooted", "excluded.py", "sub/excluded.py", "trailing",
    "q1.py", "q12.py", "foo/a/b", "foo.py", "!bang", "xd.h", "xa.h", "# a comment", "build/keep.log", "plain.py", ".gitignore",
]  # fmt: skip


def test_ignored_files_are_those_that_git_ignores(tmp_path: Path):
    git = program("git")
    if git is None:
        pytest.skip("needs git as the oracle")
    env = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1", "HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    subprocess.run([git, "init", "-q", str(tmp_path)], check=True, env=env)
    for name, text in PATTERNS.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    for name in PATHS:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            path.write_text("")
    command = [git, "-C", str(tmp_path), "check-ignore", "--no-index", "--stdin", "-z"]
    asked = "\0".join(PATHS) + "\0"
    told = subprocess.run(command, input=asked, capture_output=True, text=True, env=env).stdout
    expected = set(told.split("\0")) - {""}
    assert len(expected) > 15
    assert {name for name in PATHS if is_ignored(tmp_path / name)} == expected
    assert is_ignored(tmp_path / ".git" / "config")


def test_a_file_in_no_repository_is_not_ignored_and_changed_patterns_count(tmp_path: Path):
    (tmp_path / ".gitignore").write_text("*.py\n")
    assert not is_ignored(tmp_path / "a.py")
    (tmp_path / ".git").mkdir()
    assert is_ignored(tmp_path / "a.py")
    (tmp_path / ".gitignore").write_text("*.pyx\n")
    assert not is_ignored(tmp_path / "a.py")
    (tmp_path / ".gitignore").write_bytes(b"\xff\xfe[z-a]\n*.py")
    assert is_ignored(tmp_path / "a.py")


@pytest.mark.timeout(60)  # what took long did not end
@pytest.mark.parametrize("pattern", ["*a" * 60 + "b", "**/a/" * 60 + "b", "[a" * 500, "**" * 500])
def test_no_pattern_takes_long(tmp_path: Path, pattern: str):
    """Patterns come with a workspace, possibly untrusted."""
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitignore").write_text(f"{pattern}\n")
    is_ignored(tmp_path.joinpath(*"a" * 60, "a" * 250))
    assert not any_matches((pattern[:100] + "c",), "/".join("a" * 60) + "/" + "a" * 250)


def test_a_link_to_a_secret_file_is_one(tmp_path):
    (tmp_path / ".env").write_text("KEY=1")
    (tmp_path / "plain.py").symlink_to(tmp_path / ".env")
    assert not looks_secret(str(tmp_path / "plain.py")) and leads_to_secret(str(tmp_path / "plain.py"))
    assert not leads_to_secret(str(tmp_path / "other.py"))


def test_a_document_with_a_key_in_it_is_served_no_more() -> None:
    document = Document("file:///w/deploy.json", "json", 1, '{\n"a": 1\n}\n')
    assert not document.looks_secret
    document.apply(Change(f'"k": "-----BEGIN PRIVATE KEY-----\\n{_DATA}",\n', ((1, 0), (1, 0))))
    assert document.looks_secret
    document.apply(Change("", ((1, 0), (2, 0))))
    assert not document.looks_secret
    assert not Document(
        "file:///w/a.json", "json", 1, "[\n" + "1,\n" * 2000 + "-----BEGIN PRIVATE KEY-----"
    ).looks_secret


def test_a_module_with_a_key_in_it_is_no_context(tmp_path: Path) -> None:
    text = "from helper import connect\n"
    for head, shown in (("", 1), (f'KEY = """-----BEGIN RSA PRIVATE KEY-----\n{_DATA}\n"""\n', 0)):
        (tmp_path / "helper.py").write_text(head + "def connect(host, port):\n    pass\n")
        assert len(CrossFileContext().pieces(str(tmp_path / "a.py"), text, len(text), ())) == shown


def test_a_pattern_of_any_length_is_read_in_no_time() -> None:
    """30,000 opening brackets, each possibly the beginning of a set up to the pattern's end, took 20 s."""
    longest = "[" * MAX_PATTERN
    assert any_matches((longest,), "a/" + longest)
    assert not any_matches((longest + "[",), "a/" + longest + "[")
    assert calls(lambda: any_matches(("?[" * 30_000,), "a/b.py"))[0] < 1_000
