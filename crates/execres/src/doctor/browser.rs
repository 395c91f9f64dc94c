//! Browsers, and the programs that drive them over WebDriver.

use execres_core::Version;

use super::install::Packages;
use super::program::{Programs, Wanted};
use super::report::{Check, Group, Remedy, Status};

const WHY_DRIVER: &str = "browser sessions are driven over WebDriver";
const WHY_BROWSER: &str = "browser sessions run in it";
const OTHERWISE: &str = "Install it, and put it on the search path.";

const fn wanted(id: &'static str, names: &'static [&'static str], why: &'static str, packages: Packages) -> Wanted {
    Wanted {
        id,
        group: Group::Browsers,
        names,
        version_args: &["--version"],
        locate: None,
        variables: &[],
        why,
        packages,
        otherwise: OTHERWISE,
    }
}

const CHROME: Wanted = wanted(
    "browser.chromium",
    &["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"],
    WHY_BROWSER,
    Packages::named("chromium"),
);
const CHROMEDRIVER: Wanted = wanted(
    "browser.chromedriver",
    &["chromedriver"],
    WHY_DRIVER,
    Packages { apt: "chromium-driver", dnf: "chromedriver", pacman: "chromium", apk: "chromium-chromedriver" },
);
const FIREFOX: Wanted = wanted(
    "browser.firefox",
    &["firefox", "firefox-esr"],
    WHY_BROWSER,
    Packages { apt: "firefox-esr", ..Packages::named("firefox") },
);
const GECKODRIVER: Wanted = Wanted {
    otherwise: "Install it with `cargo install geckodriver`, or from https://github.com/mozilla/geckodriver/releases.",
    ..wanted(
        "browser.geckodriver",
        &["geckodriver"],
        WHY_DRIVER,
        Packages { apt: "", dnf: "", pacman: "geckodriver", apk: "geckodriver" },
    )
};

pub(super) async fn checks(programs: &Programs) -> Vec<Check> {
    let (chrome, browser) = programs.look_at(&CHROME).await;
    let (chromedriver, driver) = programs.look_at(&CHROMEDRIVER).await;
    let firefox = programs.check(&FIREFOX).await;
    let geckodriver = programs.check(&GECKODRIVER).await;
    vec![chrome, matched(chromedriver, browser.as_ref(), driver.as_ref()), firefox, geckodriver]
}

/// A driver of Chromium starts only a browser of its own major version.
fn matched(check: Check, browser: Option<&Version>, driver: Option<&Version>) -> Check {
    let major = |version: &Version| version.to_string().split('.').next().map(str::to_owned);
    let (Some(browser), Some(driver)) = (browser.and_then(major), driver.and_then(major)) else { return check };
    if browser == driver {
        return check;
    }
    let found = format!("{}; the browser is of version {browser}, and they have to be the same", check.found);
    Check { found, ..check }
        .with_status(Status::Degraded)
        .with_remedy(Remedy::advice("Install browser and driver of one version, from one source."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_driver_of_another_version_than_the_browser_is_degraded() {
        let check = || Check::ok("browser.chromedriver", Group::Browsers, WHY_DRIVER, "120.0.1");
        let version = |text: &str| text.parse::<Version>().unwrap();
        let of = |browser: &str| matched(check(), Some(&version(browser)), Some(&version("120.0.1"))).status;
        assert_eq!(of("121.0.5"), Status::Degraded);
        assert_eq!(of("120.9.9"), Status::Ok);
        assert_eq!(matched(check(), None, None).status, Status::Ok);
    }
}
