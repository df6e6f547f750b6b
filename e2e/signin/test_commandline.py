"""datahub init in each of its forms, users, and tokens of the command line and of recipes."""

import json

import pytest
from conftest import ADMIN, PASSWORD, SERVER, TOKEN, WITH_MCP, ask, check, me

if WITH_MCP:
    pytest.skip("the clients run these tests", allow_module_level=True)

ADMIN_URN = "urn:li:corpuser:" + ADMIN


def works(datahub, written):
    """The token that was written is the administrator's, and the command line uses it."""
    token = written()
    assert token != TOKEN and me(token) == ADMIN_URN
    assert ADMIN in datahub("get", "urn", "--urn", ADMIN_URN, "-a", "corpUserInfo")
    return token


@check("init --username --password", since_1=True)
def test_init_with_password(datahub, written):
    datahub("init", "--host", SERVER, "--username", ADMIN, "--password", PASSWORD)
    works(datahub, written)


@check("init --username --password --token-duration", since_1=True)
def test_init_with_duration(datahub, written):
    datahub("init", "--host", SERVER, "--username", ADMIN, "--password", PASSWORD, "--token-duration", "NO_EXPIRY", "--force")
    works(datahub, written)
    made = ask("query q($owner: String!) { listAccessTokens(input: {start: 0, count: 100, filters: [{field: \"ownerUrn\", values: [$owner]}]}) { tokens { name expiresAt } } }", owner=ADMIN_URN)
    assert any(t["name"].startswith("cli token ") and t["expiresAt"] is None for t in made["listAccessTokens"]["tokens"]), made


@check("init with DATAHUB_USERNAME and DATAHUB_PASSWORD", since_1=True)
def test_init_from_environment(datahub, written):
    datahub("init", DATAHUB_GMS_URL=SERVER, DATAHUB_USERNAME=ADMIN, DATAHUB_PASSWORD=PASSWORD)
    works(datahub, written)


@check("init --use-password, which asks for both", since_1=True)
def test_init_that_asks(datahub, written):
    datahub("init", "--use-password", "--host", SERVER, typed=f"{ADMIN}\n{PASSWORD}\n")
    works(datahub, written)


@check("init with a wrong password is refused", since_1=True)
def test_init_refused(datahub, tmp_path):
    told = datahub("init", "--host", SERVER, "--username", ADMIN, "--password", "wrong", ok=False)
    assert "400" in told or "Invalid Credentials" in told, told
    assert not (tmp_path / ".datahubenv").exists()


@check("init --sso, where somebody signs in in a browser", since_1=True)
def test_init_sso(datahub, written, browser):
    with browser.person(ADMIN, PASSWORD):
        datahub("init", "--sso", "--host", SERVER, **browser.environment)
    works(datahub, written)


@check("init --token", since_1=True)
def test_init_with_token(datahub, written):
    datahub("init", "--host", SERVER, "--token", TOKEN)
    assert written() == TOKEN
    assert ADMIN in datahub("get", "urn", "--urn", ADMIN_URN, "-a", "corpUserInfo")


@check("init that asks for the host and a token")
def test_init_with_prompts(datahub, written):
    datahub("init", typed=f"{SERVER}\n{TOKEN}\n")
    assert written() == TOKEN
    assert ADMIN in datahub("get", "urn", "--urn", ADMIN_URN, "-a", "corpUserInfo")


@check("init --oauth says that the server does not have it", since_1=True)
def test_init_oauth(datahub):
    told = datahub("init", "--oauth", "--host", SERVER, ok=False)
    assert "Traceback" not in told and ("Cloud" in told or "OAuth" in told), told


@check("commands without a token are refused")
def test_without_token(datahub):
    told = datahub("get", "urn", "--urn", ADMIN_URN, DATAHUB_GMS_URL=SERVER, ok=False)
    assert "401" in told or "Unauthorized" in told, told


@check("commands with DATAHUB_GMS_TOKEN")
def test_with_variable(datahub):
    assert ADMIN in datahub("get", "urn", "--urn", ADMIN_URN, "-a", "corpUserInfo", DATAHUB_GMS_URL=SERVER, DATAHUB_GMS_TOKEN=TOKEN)


def recipe(tmp_path, file, token):
    path = tmp_path / "recipe.yml"
    path.write_text(json.dumps({
        "source": {"type": "file", "config": {"path": str(file)}}, "sink": {"type": "datahub-rest", "config": {"server": SERVER, **({"token": token} if token else {})}},
    }))
    return str(path)


@check("a recipe with token: ${DATAHUB_GMS_TOKEN}")
def test_recipe(datahub, records, tmp_path):
    datahub("ingest", "-c", recipe(tmp_path, records("urn:li:tag:signinrecipe"), "${DATAHUB_GMS_TOKEN}"), DATAHUB_GMS_TOKEN=TOKEN)
    found = ask("{ tag(urn: \"urn:li:tag:signinrecipe\") { properties { name } } }")
    assert found["tag"]["properties"]["name"] == "urn:li:tag:signinrecipe"


@check("a recipe without a token is refused")
def test_recipe_refused(datahub, records, tmp_path):
    told = datahub("ingest", "-c", recipe(tmp_path, records("urn:li:tag:signinrefused"), ""), ok=False)
    assert "401" in told or "Unauthorized" in told, told[-2000:]


def exists(urn):
    return ask("query q($urn: String!) { corpUser(urn: $urn) { exists info { displayName email } isNativeUser } }", urn=urn)["corpUser"]


@check("user add --email-as-id --role", since_1=True)
def test_user_add(datahub, written):
    email = "added@example.com"
    datahub("init", "--host", SERVER, "--token", TOKEN)
    told = datahub("user", "add", "--email", email, "--email-as-id", "--display-name", "Added Person", "--password", "--role", "Editor", typed=f"{PASSWORD}\n{PASSWORD}\n")
    assert "Successfully created user" in told, told
    user = exists("urn:li:corpuser:" + email)
    assert user["exists"] and user["isNativeUser"] and user["info"] == {"displayName": "Added Person", "email": email}
    roles = ask("query q($urn: String!) { corpUser(urn: $urn) { relationships(input: {types: [\"IsMemberOfRole\"], direction: OUTGOING, count: 10}) { relationships { entity { urn } } } } }", urn="urn:li:corpuser:" + email)
    assert roles["corpUser"]["relationships"]["relationships"] == [{"entity": {"urn": "urn:li:dataHubRole:Editor"}}]
    datahub("init", "--host", SERVER, "--username", email, "--password", PASSWORD, "--force")  # the new user signs in
    assert me(written()) == "urn:li:corpuser:" + email
    told = datahub("user", "add", "--email", email, "--email-as-id", "--display-name", "Again", "--password", typed=f"{PASSWORD}\n{PASSWORD}\n", ok=False)
    assert "already exists" in told, told


@check("user add with a password that is too short is refused", since_1=True)
def test_user_add_refused(datahub):
    datahub("init", "--host", SERVER, "--token", TOKEN)
    datahub("user", "add", "--email", "short@example.com", "--email-as-id", "--display-name", "Short", "--password", typed="short\nshort\n", ok=False)
    user = exists("urn:li:corpuser:short@example.com")
    assert user is None or not user["exists"]
